// The entry point. Only this file uses Express and reads the environment. Only this file and
// signing/signingKey.ts use firebase-functions.

import { onRequest } from 'firebase-functions/https';
import { write } from 'firebase-functions/logger';
import { defineInt, defineString } from 'firebase-functions/params';
import { openGoogleAccount } from './google/account.ts';
import { openAccounts } from './google/authentication.ts';
import { openFirestore } from './google/firestore.ts';
import { createEndpoint } from './lookup/endpoint.ts';
import { withoutDomains } from './server/domain.ts';
import { readIncomingRequests, received } from './server/incomingRequests.ts';
import { InFlight } from './server/inFlight.ts';
import { respondToMalformedRequests } from './server/malformedRequests.ts';
import { finishInFlightRequests } from './server/shutdown.ts';
import { UnreadResponses } from './server/unreadResponses.ts';
import type { PublicKeySet } from './signatures/publicKeySet.ts';
import publicKeySet from './signatures/publicKeys.json' with { type: 'json' };
import { readSigner, signingSecrets } from './signing/signingKey.ts';
import { PLATFORM_TIMEOUT_SECONDS } from './timeLimits.ts';

const { env } = process;
// The build has checked the file.
const { keys } = publicKeySet as PublicKeySet;

withoutDomains();
// firebase-tools runs this file to read the options below, and then stops the process with an HTTP
// request. If we intercepted that request, firebase-tools would wait for 10 seconds.
if (env['FUNCTIONS_CONTROL_API'] !== 'true') readIncomingRequests();
const inFlight = new InFlight();
finishInFlightRequests(inFlight);
const unreadResponses = new UnreadResponses();

const account = openGoogleAccount(env);
// When deployed, fetch the first access token while the platform is still starting the instance. The
// Functions emulator sets K_SERVICE too.
if (env['K_SERVICE'] && !env['FUNCTIONS_EMULATOR']) account.authorize().catch(() => undefined);

const endpoint = createEndpoint({
  firestore: openFirestore(account, env['FIRESTORE_EMULATOR_HOST']),
  accounts: openAccounts(account, env['FIREBASE_AUTH_EMULATOR_HOST']),
  now: Date.now,
  log: write,
  sign: readSigner(env, keys, Date.now),
});

respondToMalformedRequests(endpoint, inFlight);

export const pohAttestationsEndpoint = onRequest(
  {
    region: defineString('LOOKUP_REGION', { default: 'us-central1' }),
    // Empty means the platform's default account. docs/deploy.md creates an account that can only read.
    serviceAccount: defineString('LOOKUP_SERVICE_ACCOUNT', { default: '' }),
    // Limits what an attack can cost in a day. See docs/capacity.md, "A cap on the cost".
    maxInstances: defineInt('LOOKUP_MAX_INSTANCES', { default: 10 }),
    // Anyone may call the function. It checks the API key itself.
    invoker: 'public',
    secrets: signingSecrets(keys),
    memory: '1GiB',
    concurrency: 80,
    timeoutSeconds: PLATFORM_TIMEOUT_SECONDS,
  },
  async (request, response) => {
    unreadResponses.send(response, await endpoint(received(request)));
  },
);
