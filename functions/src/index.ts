// The shell: the one file that knows Express, firebase-functions and the admin SDK's start-up.

import { initializeApp } from 'firebase-admin/app';
import { onRequest } from 'firebase-functions/https';
import { write } from 'firebase-functions/logger';
import { defineString } from 'firebase-functions/params';
import { createEndpoint } from './endpoint.ts';
import { openFirestore } from './firestore.ts';
import { mendIncomingRequests } from './incomingRequests.ts';
import { requestIdOf } from './requestId.ts';
import { finishHeldRequests } from './shutdown.ts';

mendIncomingRequests();
finishHeldRequests();

const app = initializeApp();
const firestore = openFirestore(app);

// Deployed, the way to Firestore is opened while the platform still starts, not by the first
// request. What is read does not matter, and a failure shows in the first request as well.
if (process.env['K_SERVICE']) firestore.readDocument('apiKeys/start-up').catch(() => undefined);

const endpoint = createEndpoint({
  firestore,
  auth: {
    // Loaded only when an e-mail address is asked for: most lookups start without it.
    async getUserByEmail(email) {
      const { getAuth } = await import('firebase-admin/auth');
      return await getAuth(app).getUserByEmail(email);
    },
  },
  now: Date.now,
  log: write,
});

export const pohAttestationsEndpoint = onRequest(
  {
    region: 'us-central1',
    // Empty: the platform's default account. docs/operations.md makes one that may only read.
    serviceAccount: defineString('LOOKUP_SERVICE_ACCOUNT', { default: '' }),
    // Anyone may call; the API key decides who is answered.
    invoker: 'public',
    // Measured: 80 lookups at once, of wallets with 1,000 attestations, peak at 400 MiB. That is
    // nearly 80 % of the next smaller size, and wallets may hold more.
    memory: '1GiB',
    concurrency: 80,
    timeoutSeconds: 30,
  },
  async (request, response) => {
    leaveDomain();
    const answer = await endpoint({
      method: request.method,
      target: request.originalUrl,
      apiKey: request.get('X-PoH-API-Key'),
      requestId: requestIdOf(request.headers),
    });
    // Written past Express, which would add an entity tag and answer 304 on its own.
    response
      .writeHead(answer.status, {
        ...answer.headers,
        'Content-Length': Buffer.byteLength(answer.body),
      })
      .end(answer.body);
  },
);

/**
 * functions-framework runs each request in a domain, which then follows every promise: a quarter of
 * a lookup's CPU. It is there for handlers that throw later on; the endpoint settles every failure.
 */
function leaveDomain(): void {
  const { domain } = process as { domain?: { exit(): void } | null };
  domain?.exit();
}
