// Who is signed in to an area. Signing out in one tab signs out all tabs of the area, including tabs
// that are showing another page at that time.

import {
  type Auth,
  onIdTokenChanged,
  signOut as signOutOfFirebase,
  type User,
} from 'firebase/auth';
import { HOUR_MS } from '../contract/endpoint.ts';
import { parseWallet, type Wallet } from '../records/wallet.ts';
import { withTimeout } from './problems.ts';

export interface Session {
  readonly uid: string;
  readonly email: string;
  /** How the user signed in, such as `password` or `google.com`. */
  readonly provider: string | null;
  /** Whether the owner of the address has confirmed it, as far as Authentication knows. */
  readonly isVerified: boolean;
  /** The wallet of the account, or undefined if it is missing or invalid. */
  readonly wallet: Wallet | undefined;
  /** By Authentication's clock. */
  readonly signedInAtMs: number;
  /** How far this machine's clock is behind Authentication's. */
  readonly clockLagMs: number;
}

/** After this time firestore.rules no longer lets the admin change keys. */
const SIGN_IN_LIFETIME_MS = 12 * HOUR_MS;

export const isSignInTooOld = ({ signedInAtMs, clockLagMs }: Session, nowMs: number): boolean =>
  nowMs + clockLagMs - signedInAtMs > SIGN_IN_LIFETIME_MS;

/**
 * The name of an item in both storages. localStorage has the id of the area's latest sign-out, and
 * sessionStorage has the id of the latest sign-out before this tab signed in. Ids are compared instead
 * of times, so clocks do not matter.
 */
const itemOf = (auth: Auth): string => `poh-sign-out-${auth.app.name}`;

const wasSignedOutElsewhere = (auth: Auth): boolean =>
  localStorage.getItem(itemOf(auth)) !== sessionStorage.getItem(itemOf(auth));

/** Marks the latest sign-out as known, so that it does not end a new sign-in. Call this before signing in. */
export function adoptLatestSignOut(auth: Auth): void {
  const latest = localStorage.getItem(itemOf(auth));
  if (latest !== null) sessionStorage.setItem(itemOf(auth), latest);
}

const ENDED_ELSEWHERE = 'You signed out in another tab. Sign in again to continue here.';
const ENDED_BY_AUTHENTICATION =
  'Your sign-in has ended, for example because your password was changed or your account disabled. Sign in again.';

/** Why this page is signing out; undefined if it is Authentication that ends the sign-in. */
let ending: string | undefined;

/**
 * Reports the session now and, for as long as the page lives, whenever it changes; undefined while nobody is signed in, with the
 * reason for the sign-out if the user may not know it.
 *
 * @param fail called when the session cannot be determined
 */
export function watchSession(
  auth: Auth,
  report: (session: Session | undefined, reason: string) => void,
  fail: () => void,
): void {
  let latest: User | null = null;
  // The SDK drops a stored sign-in that Authentication no longer accepts.
  const { name, options } = auth.app;
  let wasSignedIn = sessionStorage.getItem(`firebase:authUser:${options.apiKey}:${name}`) !== null;
  onIdTokenChanged(auth, async (user) => {
    const reason = wasSignedIn ? (ending ?? ENDED_BY_AUTHENTICATION) : '';
    wasSignedIn = user !== null;
    latest = user;
    if (!user) ending = undefined;
    if (user && wasSignedOutElsewhere(auth)) return signOutHere(auth, ENDED_ELSEWHERE).catch(fail);
    try {
      const session = user ? await withTimeout(describe(user)) : undefined;
      // Ignore this change if a newer one has arrived in the meantime.
      if (latest === user) report(session, reason);
    } catch {
      fail();
    }
  });
  withTimeout(auth.authStateReady()).catch(fail);

  const check = (): void => {
    if (auth.currentUser && wasSignedOutElsewhere(auth)) void signOutHere(auth, ENDED_ELSEWHERE);
  };
  // `storage` fires in tabs that show the area, `pageshow` in a tab that returns to it.
  addEventListener('storage', check);
  addEventListener('pageshow', check);
}

async function describe(user: User): Promise<Session> {
  const { claims, authTime, expirationTime, signInProvider } = await user.getIdTokenResult();
  const wallet = claims['wallet'];
  // The SDK calculates by this machine's clock when the ID token expires, and shows it only here.
  const local = user.toJSON() as { stsTokenManager: { expirationTime: number } };
  return {
    uid: user.uid,
    // Both ways to sign in need an address.
    email: user.email ?? '',
    provider: signInProvider,
    isVerified: user.emailVerified,
    wallet: typeof wallet === 'string' ? parseWallet(wallet) : undefined,
    signedInAtMs: Date.parse(authTime),
    clockLagMs: Date.parse(expirationTime) - local.stsTokenManager.expirationTime,
  };
}

/** Signs out in all tabs of the area. */
export async function signOut(auth: Auth): Promise<void> {
  localStorage.setItem(itemOf(auth), crypto.randomUUID());
  await signOutHere(auth);
}

/** Signs out in this tab only. @param reason what the sign-in form says about it */
export async function signOutHere(auth: Auth, reason = ''): Promise<void> {
  sessionStorage.removeItem(itemOf(auth));
  ending = reason;
  await signOutOfFirebase(auth);
}

/**
 * Reads the account again: its wallet and the sign-in time.
 *
 * @returns the session, which is also reported; undefined if nobody is signed in any more
 */
export async function refreshSession(auth: Auth): Promise<Session | undefined> {
  await auth.currentUser?.reload();
  await auth.currentUser?.getIdToken(true);
  return auth.currentUser ? await describe(auth.currentUser) : undefined;
}
