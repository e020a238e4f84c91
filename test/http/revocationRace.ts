// Revokes a key or a token while clients use it, and counts the requests that succeed after the write
// has committed.

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { DocumentReference, Firestore } from 'firebase-admin/firestore';
import { hashApiKey } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { statusOf } from '../../tools/sandbox/measuring.ts';
import { writeToken } from '../../tools/sandbox/seeding.ts';
import { seedKey } from '../support/seed.ts';

const CLIENTS = 12;
/** The number of responses to wait for before and after the revocation, two for each client. */
const RESPONSES_PER_SIDE = 2 * CLIENTS;

export interface RaceResult {
  /** Requests that succeeded before the revocation. Without them the race proves nothing. */
  readonly succeededBefore: number;
  /** Requests that started after the revoking write had committed. */
  readonly startedAfter: number;
  /** How many of those succeeded. It must be 0. */
  readonly succeededAfter: number;
}

type Kind = 'key' | 'token';

/** Runs one race with a new record. @param url the served function */
export async function raceRevocation(
  db: Firestore,
  url: string,
  kind: Kind,
  wallet: string,
): Promise<RaceResult> {
  const key = await seedKey();
  const token = randomUUID();
  await writeToken(db, token, wallet);
  const target = { url: `${url}?${kind === 'key' ? `wallet=${wallet}` : `token=${token}`}`, key };

  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const responses: { startedAt: number; status: number }[] = [];
  let committedAt = Number.POSITIVE_INFINITY;
  const startedAfter = () => responses.filter(({ startedAt }) => startedAt > committedAt);
  const { promise: isWarm, resolve: reportWarm } = Promise.withResolvers<void>();
  const client = async (): Promise<void> => {
    while (startedAfter().length < RESPONSES_PER_SIDE) {
      const startedAt = performance.now();
      responses.push({ startedAt, status: await statusOf(target, agent) });
      if (responses.length === RESPONSES_PER_SIDE) reportWarm();
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  await Promise.race([isWarm, clients]);
  await revoke(db, kind, kind === 'key' ? hashApiKey(key) : token);
  committedAt = performance.now();
  await clients;
  agent.destroy();

  const after = startedAfter();
  const succeeded = (list: typeof responses): number =>
    list.filter(({ status }) => status === 200).length;
  return {
    succeededBefore: succeeded(responses) - succeeded(after),
    startedAfter: after.length,
    succeededAfter: succeeded(after),
  };
}

async function revoke(db: Firestore, kind: Kind, id: string): Promise<void> {
  const collection = kind === 'key' ? COLLECTIONS.apiKeys : COLLECTIONS.verificationTokens;
  const record: DocumentReference = db.collection(collection).doc(id);
  await record.update(kind === 'key' ? { active: false } : { revoked: true });
}
