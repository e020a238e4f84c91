// The shell: the one file that knows Express and firebase-functions.

import { onRequest } from 'firebase-functions/https';
import { write } from 'firebase-functions/logger';
import { defineInt, defineString } from 'firebase-functions/params';
import { createEndpoint } from './endpoint.ts';
import { openFirestore } from './firestore/reader.ts';
import { findGoogleAccount, once, openAccounts } from './googleAccount.ts';
import { Connections } from './platform/connections.ts';
import { leaveDomain } from './platform/domain.ts';
import { normalizeIncomingRequests } from './platform/incomingRequests.ts';
import { PipelineLimit } from './platform/pipelining.ts';
import { respondToProtocolErrors } from './platform/protocolErrors.ts';
import { finishInFlightRequests } from './platform/shutdown.ts';
import { UnreadResponses } from './platform/unreadResponses.ts';
import { requestIdOf } from './requestId.ts';
import { readSigner, signingSecrets } from './signingKey.ts';

normalizeIncomingRequests();
const connections = new Connections();
finishInFlightRequests(connections);
const pipelineLimit = new PipelineLimit(connections);
const unreadResponses = new UnreadResponses();

const findAccount = once(findGoogleAccount);
const firestore = openFirestore(findAccount);

// Deployed, the connection is made while the platform still starts the instance.
if (process.env['K_SERVICE']) firestore.warmUp();

const endpoint = createEndpoint({
  firestore,
  auth: openAccounts(findAccount),
  now: Date.now,
  log: write,
  sign: readSigner(process.env, Date.now),
});

respondToProtocolErrors(endpoint, connections);

export const pohAttestationsEndpoint = onRequest(
  {
    region: defineString('LOOKUP_REGION', { default: 'us-central1' }),
    // Empty: the platform's default account. docs/operations.md makes one that may only read.
    serviceAccount: defineString('LOOKUP_SERVICE_ACCOUNT', { default: '' }),
    // What an attack can cost in a day: docs/capacity.md, "A cap on the cost".
    maxInstances: defineInt('LOOKUP_MAX_INSTANCES', { default: 10 }),
    // Anyone may call; the API key decides who is admitted.
    invoker: 'public',
    secrets: signingSecrets(),
    // Measured: 80 lookups at once, of wallets with 1,000 attestations, peak at 440 MiB. That is
    // 86 % of the next smaller size, and wallets may have more.
    memory: '1GiB',
    concurrency: 80,
    timeoutSeconds: 30,
  },
  async (request, response) => {
    leaveDomain();
    if (pipelineLimit.isDropped(response)) return;
    const lookupResponse = await endpoint({
      method: request.method,
      target: request.originalUrl,
      apiKey: request.get('X-PoH-API-Key'),
      requestId: requestIdOf(request.headers),
    });
    unreadResponses.send(response, lookupResponse);
  },
);
