// The entry point. Only this file reads the environment and uses firebase-functions.

import { subscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http';
import { onRequest } from 'firebase-functions/https';
import { write } from 'firebase-functions/logger';
import { defineBoolean, defineInt, defineSecret, defineString } from 'firebase-functions/params';
import { openAccounts } from './google/authentication.ts';
import { openFirestore } from './google/firestore.ts';
import { openGoogleAccount } from './google/serviceAccount.ts';
import { createEndpoint, type Endpoint } from './lookup.ts';
import { traceField } from './requestLog.ts';
import { serve, takeOver } from './server.ts';
import type { PublicKeySet } from './signatures/publicKeySet.ts';
import publicKeySet from './signatures/publicKeys.json' with { type: 'json' };
import { isRetired, readSigner, SIGNING_SECRET } from './signatures/sign.ts';
import { PLATFORM_TIMEOUT_SECONDS } from './timeLimits.ts';

/** The build defines it. */
declare const COMMIT: string;

const { env } = process;
// The build has checked the file.
const { keys } = publicKeySet as PublicKeySet;

// Read while the function starts, because it must not start with a key that it may not use.
const sign = readSigner(env, keys, Date.now);
/** @throws if the value has another form, because a misspelled one must not admit more than was meant */
function readParameter({ name }: { readonly name: string }, form: RegExp): string {
  const value = env[name] ?? '';
  if (!form.test(value))
    throw new Error(`Correct ${name} in .env.ID: the parameter must match ${form}.`);
  return value;
}
const readsPerSecond = Number(
  readParameter(defineInt('LOOKUP_READS_PER_SECOND', { default: 2_000 }), /^\d{0,15}$/),
);
const verifiedEmailOnly =
  readParameter(
    defineBoolean('LOOKUP_VERIFIED_EMAIL_ONLY', { default: false }),
    /^(true|false|)$/,
  ) === 'true';

let opened: Endpoint | undefined;
/** Opened once a server listens, because Google's builder and firebase-tools load this file without a project. */
function openEndpoint(): Endpoint {
  if (opened) return opened;
  const account = openGoogleAccount(env);
  // When deployed, fetch the first access token while the platform is still starting the instance.
  if (env['K_SERVICE']) account.authorize(() => undefined).catch(() => undefined);
  opened = createEndpoint({
    firestore: openFirestore(account, env['FIRESTORE_EMULATOR_HOST']),
    accounts: openAccounts(account, env['FIREBASE_AUTH_EMULATOR_HOST']),
    now: Date.now,
    log: (line) => write({ ...line, ...traceField(account.projectId, line['requestId']) }),
    sign,
    readsPerSecond,
    verifiedEmailOnly,
  });
  return opened;
}

/** Handles the requests of the server, once it is taken over. */
let handle: RequestListener | undefined;
const instance = { commit: COMMIT, node: process.version };
// The Functions emulator has a server of its own, and so has firebase-tools.
if (!env['FUNCTIONS_EMULATOR'] && env['FUNCTIONS_CONTROL_API'] !== 'true') {
  // functions-framework does not expose its server. This is published at `listen`, before the server
  // takes its first connection.
  subscribe('tracing:net.server.listen:asyncStart', (message) => {
    const { server } = message as { server: unknown };
    if (server instanceof Server) handle ??= takeOver(server, openEndpoint());
  });
  // By then, functions-framework has called `listen`.
  setImmediate(() =>
    write({ severity: 'INFO', message: 'started', ...instance, isServerTakenOver: !!handle }),
  );
}

/** Handles a request that the server of functions-framework or of the emulator has passed to Express. */
function onExpressRequest(request: IncomingMessage, response: ServerResponse) {
  const server: unknown = Reflect.get(request.socket, 'server');
  if (!handle && !env['FUNCTIONS_EMULATOR'] && server instanceof Server) {
    // Node does not guarantee the channel above. Until now, Express may have responded, and logged bodies.
    const message = 'the server was taken over with a request, and not before it listened';
    write({ severity: 'WARNING', message, ...instance });
    handle = takeOver(server, openEndpoint());
  }
  return handle ? handle(request, response) : serve(openEndpoint(), request, response);
}

export const pohAttestationsEndpoint = onRequest(
  {
    region: defineString('LOOKUP_REGION', { default: 'us-central1' }),
    // Empty means the platform's default account. docs/deploy.md creates an account that can only read.
    serviceAccount: defineString('LOOKUP_SERVICE_ACCOUNT', { default: '' }),
    // Limits what an attack can cost in a day. See docs/capacity.md, "A cap on the cost".
    maxInstances: defineInt('LOOKUP_MAX_INSTANCES', { default: 10 }),
    // So that a deployed function can be traced to its source.
    labels: { commit: COMMIT },
    // `invoker` is missing, so firebase-tools lets anyone call a new function, and later leaves its callers alone. The
    // function checks the API key itself.
    // Firebase refuses to deploy a secret that does not exist, and cannot bind one conditionally.
    secrets: keys.every(isRetired) ? [] : [defineSecret(SIGNING_SECRET)],
    memory: '1GiB',
    concurrency: 80,
    timeoutSeconds: PLATFORM_TIMEOUT_SECONDS,
  },
  onExpressRequest,
);
