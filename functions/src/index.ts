// The function as firebase-tools deploys and emulates it. Only this file uses firebase-functions. In production,
// functions/framework serves the endpoint, and this file is loaded only on the way back to Google's framework.

import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { onRequest } from 'firebase-functions/https';
import { defineBoolean, defineInt, defineSecret, defineString } from 'firebase-functions/params';
import { INSTANCE, keys, log, PARAMETERS, prepareEndpoint } from './instance.ts';
import { serve, takeOver } from './server.ts';
import { isRetired, SIGNING_SECRET } from './signatures/sign.ts';
import { PLATFORM_TIMEOUT_SECONDS } from './timeLimits.ts';

defineInt(PARAMETERS.readsPerSecond, { default: 2_000 });
defineBoolean(PARAMETERS.verifiedEmailOnly, { default: false });

const openEndpoint = prepareEndpoint(process.env);
let takenOver: ReturnType<typeof takeOver> | undefined;

/** Handles a request that the server of the emulator or of Google's framework has passed to Express. */
function onExpressRequest(request: IncomingMessage, response: ServerResponse) {
  const server: unknown = Reflect.get(request.socket, 'server');
  if (process.env['FUNCTIONS_EMULATOR'] || !(server instanceof Server))
    return serve(openEndpoint(), request, response);
  if (!takenOver) {
    // Until now, Express may have responded itself, and logged bodies.
    const message = 'the server was taken over with a request, and not before it listened';
    log({ severity: 'WARNING', message, ...INSTANCE });
    takenOver = takeOver(server, openEndpoint());
  }
  return takenOver(request, response);
}

export const pohAttestationsEndpoint = onRequest(
  {
    region: defineString('LOOKUP_REGION', { default: 'us-central1' }),
    // Empty means Google Cloud's default account. docs/deploy.md creates an account that can only read.
    serviceAccount: defineString('LOOKUP_SERVICE_ACCOUNT', { default: '' }),
    // Limits what an attack can cost in a day. See docs/deploy.md, "A cap on the cost".
    maxInstances: defineInt('LOOKUP_MAX_INSTANCES', { default: 10 }),
    // So that a deployed function can be traced to its source.
    labels: { commit: INSTANCE.commit },
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
