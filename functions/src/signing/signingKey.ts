// Where the key that signs responses comes from, and whether signatures are on.

import { defineSecret } from 'firebase-functions/params';
import type { PublicKeySet } from '../../../signatures/publicKeySet.ts';
import publicKeys from '../../../signatures/publicKeys.json' with { type: 'json' };
import { isRetired } from '../../../signatures/publicKeys.ts';
import { createSigner, SIGNING_SECRET, type SignResponse } from '../../../signatures/sign.ts';

/** A deployment signs when its set of public keys has one that is not retired. */
const isSigning = (publicKeys as PublicKeySet).keys.some((key) => !isRetired(key));

/**
 * The secrets to bind. Firebase refuses to deploy a function with a secret that does not exist, and
 * cannot bind one conditionally: so the set of public keys, which is known at the build, decides.
 */
export const signingSecrets = () => (isSigning ? [defineSecret(SIGNING_SECRET)] : []);

/**
 * Reads the private key once, at start-up.
 *
 * @param now milliseconds since the epoch
 * @returns undefined where responses are not signed
 * @throws Error when the key is missing from a deployment that signs, or is no such key
 */
export function readSigner(env: NodeJS.ProcessEnv, now: () => number): SignResponse | undefined {
  const pem = env[SIGNING_SECRET];
  if (pem) return createSigner(pem, now);
  if (isSigning && env['K_SERVICE']) {
    throw new Error(
      `${SIGNING_SECRET} is not set, but signatures/publicKeys.json has a key that is not retired: ` +
        `set the secret with \`firebase functions:secrets:set ${SIGNING_SECRET}\`, or retire the key.`,
    );
  }
  return undefined;
}
