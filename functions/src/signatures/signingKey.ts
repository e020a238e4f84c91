// Reads the key that signs responses, and decides whether signatures are on.

import { defineSecret } from 'firebase-functions/params';
import type { PublicKey } from './publicKeySet.ts';
import { isRetired } from './publicKeys.ts';
import { createSigner, parseSigningKey, SIGNING_SECRET } from './sign.ts';

/**
 * The secrets to bind. A deployment signs when its set of public keys, which is known at build time, has
 * an active one. Firebase refuses to deploy a function with a secret that does not exist, and cannot
 * bind a secret conditionally.
 */
export const signingSecrets = (keys: readonly PublicKey[]) =>
  keys.every(isRetired) ? [] : [defineSecret(SIGNING_SECRET)];

/**
 * Reads the private key once, at start-up. Only an active key of the set may sign, because nobody could
 * verify another key's signatures. With an emulated database any key may sign.
 *
 * @param keys the set that this deployment was built with
 * @param now milliseconds since the epoch
 * @returns undefined if responses are not signed
 * @throws Error if a deployment that signs has no key, or if the key is unusable or not in the set
 */
export function readSigner(
  env: NodeJS.ProcessEnv,
  keys: readonly PublicKey[],
  now: () => number,
): ReturnType<typeof createSigner> | undefined {
  const pem = env[SIGNING_SECRET];
  if (pem) {
    const key = parseSigningKey(pem);
    const isActive = keys.some((each) => each.kid === key.keyId && !isRetired(each));
    if (isActive || env['FIRESTORE_EMULATOR_HOST']) return createSigner(key, now);
    throw new Error(
      `${SIGNING_SECRET} is the private key of ${key.keyId}, which is not an active key of ` +
        'functions/src/signatures/publicKeys.json, so the function does not sign with it and does not start. ' +
        'Commit the set to which `signing-keys create` added the key, or create another key, and deploy again.',
    );
  }
  if (!keys.every(isRetired) && env['K_SERVICE']) {
    throw new Error(
      `${SIGNING_SECRET} is not set, but functions/src/signatures/publicKeys.json has a key that is not retired. ` +
        `Add a version with \`gcloud secrets versions add ${SIGNING_SECRET}\`, or retire the key.`,
    );
  }
  return undefined;
}
