// Who is signed in. Signing out in one tab signs out in all tabs of the site.

import {
  type Auth,
  onIdTokenChanged,
  sendEmailVerification,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  signOut as signOutHere,
  type User,
} from 'firebase/auth';
import { parseWallet, type Wallet } from '../records/wallet.ts';

export interface Session {
  readonly uid: string;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  /** The wallet on the account; it is undefined when there is none or one that is unusable. */
  readonly wallet: Wallet | undefined;
  /** How old the sign-in was, by Authentication's clock, at `readAtMs` by this machine's. */
  readonly ageMs: number;
  readonly readAtMs: number;
}

/** firestore.rules lets nobody change a key whose sign-in is older. */
export const SIGN_IN_LIFETIME_MS = 12 * 60 * 60 * 1000;

/** Whichever way this machine's clock is wrong: only what has passed on it since is counted. */
export const isSignInTooOld = ({ ageMs, readAtMs }: Session, nowMs: number): boolean =>
  ageMs + nowMs - readAtMs > SIGN_IN_LIFETIME_MS;

const signOuts = new BroadcastChannel('poh-sign-out');

/** Reports the session now and whenever it changes; undefined while nobody is signed in. */
export function watchSession(
  auth: Auth,
  report: (session: Session | undefined) => void,
): () => void {
  let latest: User | null = null;
  const stop = onIdTokenChanged(auth, async (user) => {
    latest = user;
    const session = user ? await describe(user) : undefined;
    // A newer change has reported meanwhile.
    if (latest === user) report(session);
  });
  signOuts.onmessage = () => void signOutHere(auth);
  return stop;
}

async function describe(user: User): Promise<Session> {
  const { claims, authTime, issuedAtTime } = await user.getIdTokenResult();
  const wallet = claims['wallet'];
  return {
    uid: user.uid,
    email: user.email ?? undefined,
    isEmailVerified: user.emailVerified,
    wallet: typeof wallet === 'string' ? parseWallet(wallet) : undefined,
    ageMs: Date.parse(issuedAtTime) - Date.parse(authTime),
    readAtMs: Date.now(),
  };
}

export async function signIn(auth: Auth, email: string, password: string): Promise<void> {
  await signInWithEmailAndPassword(auth, email, password);
}

export async function signOut(auth: Auth): Promise<void> {
  signOuts.postMessage('signed out');
  await signOutHere(auth);
}

export const sendPasswordReset = (auth: Auth, email: string): Promise<void> =>
  sendPasswordResetEmail(auth, email);

export async function sendVerification(auth: Auth): Promise<void> {
  if (auth.currentUser) await sendEmailVerification(auth.currentUser);
}

/** Reads the account again: its wallet, and whether its address is verified. */
export async function refreshSession(auth: Auth): Promise<void> {
  await auth.currentUser?.reload();
  await auth.currentUser?.getIdToken(true);
}
