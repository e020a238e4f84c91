// An instance of the function: what it reads from the environment, its log, and its endpoint.

import { openAccounts } from './google/authentication.ts';
import { openFirestore } from './google/firestore.ts';
import { openGoogleAccount } from './google/serviceAccount.ts';
import { createEndpoint, type Endpoint } from './lookup.ts';
import { type Log, traceField } from './requestLog.ts';
import type { PublicKeySet } from './signatures/publicKeySet.ts';
import publicKeySet from './signatures/publicKeys.json' with { type: 'json' };
import { readSigner } from './signatures/sign.ts';

/** The build defines it. */
declare const COMMIT: string;

/** What runs: of use where Google updates Node under a deployed revision. */
export const INSTANCE = { commit: COMMIT, node: process.version };

/** The names of the deployment's parameters that a lookup depends on. */
export const PARAMETERS = {
  readsPerSecond: 'LOOKUP_READS_PER_SECOND',
  verifiedEmailOnly: 'LOOKUP_VERIFIED_EMAIL_ONLY',
} as const;

// The build has checked the file.
export const { keys } = publicKeySet as PublicKeySet;

/** Writes a structured line, which Cloud Logging parses. */
export const log: Log = (line) => console.log(JSON.stringify(line));

/**
 * Reads the parameters and the signing key, because an instance must not start with one that it may not use.
 *
 * @returns a function that opens the endpoint. Google's builder and firebase-tools load the function without a project.
 * @throws Error that says what to correct
 */
export function prepareEndpoint(env: NodeJS.ProcessEnv): () => Endpoint {
  const sign = readSigner(env, keys, Date.now);
  /** Another form is refused, because a misspelled value must not admit more than was meant. */
  const read = (name: string, form: RegExp): string => {
    const value = env[name] ?? '';
    if (form.test(value)) return value;
    throw new Error(`Correct ${name} in .env.ID: the parameter must match ${form}.`);
  };
  const readsPerSecond = Number(read(PARAMETERS.readsPerSecond, /^\d{0,15}$/));
  const verifiedEmailOnly = read(PARAMETERS.verifiedEmailOnly, /^(true|false|)$/) === 'true';
  let opened: Endpoint | undefined;
  return () => {
    if (opened) return opened;
    const account = openGoogleAccount(env);
    // When deployed, fetch the first access token while Google Cloud is still starting the instance.
    if (env['K_SERVICE']) account.authorize(() => undefined).catch(() => undefined);
    opened = createEndpoint({
      firestore: openFirestore(account, env['FIRESTORE_EMULATOR_HOST']),
      accounts: openAccounts(account, env['FIREBASE_AUTH_EMULATOR_HOST']),
      now: Date.now,
      log: (line) => log({ ...line, ...traceField(account.projectId, line['requestId']) }),
      sign,
      readsPerSecond,
      verifiedEmailOnly,
    });
    return opened;
  };
}
