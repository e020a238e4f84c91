// Who is signed in to an area. Signing out in one tab signs out in all tabs of the area, those that
// show another page at that moment too.

import {
  type Auth,
  onIdTokenChanged,
  sendEmailVerification,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  signOut as signOutOfFirebase,
  type User,
} from 'firebase/auth';
import { parseWallet, type Wallet } from '../records/wallet.ts';
import { inTime } from './problems.ts';

export interface Session {
  readonly uid: string;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  /** The wallet on the account; it is undefined when there is none or one that is unusable. */
  readonly wallet: Wallet | undefined;
  /** By Authentication's clock. */
  readonly signedInAtMs: number;
  /** How far this machine's clock is behind Authentication's. */
  readonly clockLagMs: number;
}

/** firestore.rules lets nobody change a key whose sign-in is older. */
const SIGN_IN_LIFETIME_MS = 12 * 60 * 60 * 1000;

export const isSignInTooOld = ({ signedInAtMs, clockLagMs }: Session, nowMs: number): boolean =>
  nowMs + clockLagMs - signedInAtMs > SIGN_IN_LIFETIME_MS;

/**
 * In localStorage it names the latest sign-out of the area, in sessionStorage the one after which
 * this tab signed in. Compared as names, so that no clock matters.
 */
const itemOf = (auth: Auth): string => `poh-sign-out-${auth.app.name}`;

const wasSignedOutElsewhere = (auth: Auth): boolean =>
  localStorage.getItem(itemOf(auth)) !== sessionStorage.getItem(itemOf(auth));

/** To be called before a sign-in. */
export function adoptLatestSignOut(auth: Auth): void {
  const latest = localStorage.getItem(itemOf(auth));
  if (latest !== null) sessionStorage.setItem(itemOf(auth), latest);
}

/**
 * Reports the session now and whenever it changes; undefined while nobody is signed in.
 *
 * @param fail called when it cannot be known who is signed in
 */
export function watchSession(
  auth: Auth,
  report: (session: Session | undefined) => void,
  fail: () => void,
): () => void {
  let latest: User | null = null;
  const stop = onIdTokenChanged(auth, async (user) => {
    latest = user;
    if (user && wasSignedOutElsewhere(auth)) return signOutHere(auth).catch(fail);
    try {
      const session = user ? await inTime(describe(user)) : undefined;
      // A newer change has reported meanwhile.
      if (latest === user) report(session);
    } catch {
      fail();
    }
  });
  inTime(auth.authStateReady()).catch(fail);

  const check = (): void => {
    if (auth.currentUser && wasSignedOutElsewhere(auth)) void signOutHere(auth);
  };
  // The first reaches the tabs that show the area now, the second one that comes back to it.
  addEventListener('storage', check);
  addEventListener('pageshow', check);
  return () => {
    stop();
    removeEventListener('storage', check);
    removeEventListener('pageshow', check);
  };
}

async function describe(user: User): Promise<Session> {
  const { claims, authTime, expirationTime } = await user.getIdTokenResult();
  const wallet = claims['wallet'];
  return {
    uid: user.uid,
    email: user.email ?? undefined,
    isEmailVerified: user.emailVerified,
    wallet: typeof wallet === 'string' ? parseWallet(wallet) : undefined,
    signedInAtMs: Date.parse(authTime),
    clockLagMs: Date.parse(expirationTime) - parseLocalExpiry(user.toJSON()),
  };
}

/** When the ID token expires by this machine's clock, as the SDK noted when it received the token. */
function parseLocalExpiry(user: object): number {
  const { stsTokenManager } = user as { stsTokenManager?: { expirationTime?: unknown } };
  const expiryMs = stsTokenManager?.expirationTime;
  if (typeof expiryMs !== 'number') throw new Error('the SDK keeps the expiry elsewhere now');
  return expiryMs;
}

export async function signIn(auth: Auth, email: string, password: string): Promise<void> {
  adoptLatestSignOut(auth);
  await signInWithEmailAndPassword(auth, email, password);
}

/** Signs out in all tabs of the area. */
export async function signOut(auth: Auth): Promise<void> {
  localStorage.setItem(itemOf(auth), crypto.randomUUID());
  await signOutHere(auth);
}

/** Signs out in this tab alone. */
export async function signOutHere(auth: Auth): Promise<void> {
  sessionStorage.removeItem(itemOf(auth));
  await signOutOfFirebase(auth);
}

export const sendPasswordReset = (auth: Auth, email: string): Promise<void> =>
  sendPasswordResetEmail(auth, email);

export async function sendVerification(auth: Auth): Promise<void> {
  if (auth.currentUser) await sendEmailVerification(auth.currentUser);
}

/** Reads the account again: its wallet, whether its address is verified, when it signed in. */
export async function refreshSession(auth: Auth): Promise<void> {
  await auth.currentUser?.reload();
  await auth.currentUser?.getIdToken(true);
}
