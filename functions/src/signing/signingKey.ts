// Where the key that signs responses comes from, and whether signatures are on.

import { defineSecret } from 'firebase-functions/params';
import type { PublicKey } from '../../../signatures/publicKeySet.ts';
import { isRetired } from '../../../signatures/publicKeys.ts';
import {
  createSigner,
  parseSigningKey,
  SIGNING_SECRET,
  type SignResponse,
} from '../../../signatures/sign.ts';

/** A deployment signs when its set of public keys has an active one. */
const isSigning = (keys: readonly PublicKey[]): boolean => keys.some((key) => !isRetired(key));

/**
 * The secrets to bind. Firebase refuses to deploy a function with a secret that does not exist, and
 * cannot bind one conditionally: so the set of public keys, which is known at the build, decides.
 */
export const signingSecrets = (keys: readonly PublicKey[]) =>
  isSigning(keys) ? [defineSecret(SIGNING_SECRET)] : [];

/**
 * Reads the private key once, at start-up. Nobody could verify what another key signs than an active
 * one of the set; only beside an emulated database any key may sign.
 *
 * @param keys the set that this deployment was built with
 * @param now milliseconds since the epoch
 * @returns undefined where responses are not signed
 * @throws Error when the key is missing from a deployment that signs, is unusable, or is not in the set
 */
export function readSigner(
  env: NodeJS.ProcessEnv,
  keys: readonly PublicKey[],
  now: () => number,
): SignResponse | undefined {
  const pem = env[SIGNING_SECRET];
  if (pem) {
    const key = parseSigningKey(pem);
    const isActive = keys.some((one) => one.kid === key.keyId && !isRetired(one));
    if (isActive || env['FIRESTORE_EMULATOR_HOST']) return createSigner(key, now);
    throw new Error(
      `${SIGNING_SECRET} is the private key of ${key.keyId}, which is not an active key of ` +
        'signatures/publicKeys.json, so the function does not sign with it and does not start: ' +
        'commit the set to which `signing-keys create` added the key, or create another, and deploy again.',
    );
  }
  if (isSigning(keys) && env['K_SERVICE']) {
    throw new Error(
      `${SIGNING_SECRET} is not set, but signatures/publicKeys.json has a key that is not retired: ` +
        `set the secret with \`firebase functions:secrets:set ${SIGNING_SECRET}\`, or retire the key.`,
    );
  }
  return undefined;
}
