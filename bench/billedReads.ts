// Counts the document reads that each kind of request is billed for.

import { randomUUID } from 'node:crypto';
import type { FirestoreReader } from '../functions/src/google/firestore.ts';
import { createEndpoint } from '../functions/src/lookup/endpoint.ts';
import { openEmulators } from '../sandbox/openEmulators.ts';
import { writeApiKey, writeToken } from '../sandbox/seeding.ts';
import { writeKey, writeSubjects, writeWallet } from './subjects.ts';

export interface BilledReads {
  readonly request: string;
  readonly status: number;
  /** Firestore documents; a query that finds nothing is billed as one. */
  readonly reads: number;
  /** Look-ups in Firebase Authentication. */
  readonly accounts: number;
}

const ATTESTATIONS = 5;

export async function countBilledReads(): Promise<BilledReads[]> {
  const { db } = openEmulators();
  const wallet = await writeWallet(ATTESTATIONS);
  const queries = await writeSubjects(wallet);
  const key = await writeKey();
  const revoked = `bench-${randomUUID()}`;
  await writeApiKey(db, revoked, 'Benchmark', { active: false });
  const dead = randomUUID();
  await writeToken(db, dead, wallet, { revoked: true });

  const requests: readonly [string, string, string][] = [
    [`wallet, ${ATTESTATIONS} attestations`, key, queries.wallet],
    [`email, ${ATTESTATIONS} attestations`, key, queries.email],
    [`token, ${ATTESTATIONS} attestations`, key, queries.token],
    ['wallet, none', key, `wallet=${'1'.repeat(32)}`],
    ['missing key', '', queries.wallet],
    ['unknown key', 'unknown', queries.wallet],
    ['revoked key', revoked, queries.wallet],
    ['no subject', key, ''],
    ['bad wallet', key, 'wallet=x'],
    ['unknown e-mail address', key, 'email=no@example.com'],
    ['malformed token', key, 'token=x'],
    ['unknown token', key, `token=${randomUUID()}`],
    ['revoked token', key, `token=${dead}`],
  ];
  const counted: BilledReads[] = [];
  for (const [request, apiKey, query] of requests) {
    counted.push({ request, ...(await count(apiKey, query)) });
  }
  return counted;
}

async function count(apiKey: string, query: string): Promise<Omit<BilledReads, 'request'>> {
  const { auth, firestore } = openEmulators();
  let reads = 0;
  let accounts = 0;
  const counted: FirestoreReader = {
    // Billed whether or not there is such a document.
    readDocument(path) {
      reads += 1;
      return firestore.readDocument(path);
    },
    async queryDocuments(query, read) {
      let found = 0;
      const results = await firestore.queryDocuments(query, (fields, path) => {
        found += 1;
        return read(fields, path);
      });
      reads += Math.max(1, found);
      return results;
    },
  };
  const counting = {
    getUserByEmail(email: string) {
      accounts += 1;
      return auth.getUserByEmail(email);
    },
  };
  const endpoint = createEndpoint({
    firestore: counted,
    auth: counting,
    now: Date.now,
    log: () => undefined,
  });
  const request = { method: 'GET', target: `/?${query}`, apiKey, requestId: 'bench' };
  const { status } = await endpoint(request);
  return { status, reads, accounts };
}
