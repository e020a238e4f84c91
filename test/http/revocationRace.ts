// Clients hammer a key or a token while it is revoked: is any request admitted after the write committed?

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { DocumentReference, Firestore } from 'firebase-admin/firestore';
import { statusOf } from '../../bench/httpCall.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { writeApiKey, writeToken } from '../../sandbox/seeding.ts';

const CLIENTS = 12;
/** How many responses to wait for on either side of the revocation: two for each client. */
const RESPONSES_A_SIDE = 2 * CLIENTS;

export interface RaceResult {
  readonly requests: number;
  /** Requests admitted while the record was good: without them the race proves nothing. */
  readonly admittedBefore: number;
  /** Requests that started after the revoking write had committed. */
  readonly startedAfter: number;
  /** Of those, the ones that were admitted: none may be. */
  readonly admittedAfter: number;
}

type Kind = 'key' | 'token';

/** One race over one fresh record. @param url the served function */
export async function raceRevocation(
  db: Firestore,
  url: string,
  kind: Kind,
  wallet: string,
): Promise<RaceResult> {
  const key = `race-${randomUUID()}`;
  const token = randomUUID();
  await writeApiKey(db, key, 'Race');
  await writeToken(db, token, wallet);
  const target = { url: `${url}?${kind === 'key' ? `wallet=${wallet}` : `token=${token}`}`, key };

  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const responses: { startedAt: number; status: number }[] = [];
  let committedAt = Number.POSITIVE_INFINITY;
  const startedAfter = () => responses.filter(({ startedAt }) => startedAt > committedAt);
  let warm = (): void => undefined;
  const isWarm = new Promise<void>((resolve) => {
    warm = resolve;
  });
  const client = async (): Promise<void> => {
    while (startedAfter().length < RESPONSES_A_SIDE) {
      const startedAt = performance.now();
      responses.push({ startedAt, status: await statusOf(target, agent) });
      if (responses.length === RESPONSES_A_SIDE) warm();
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  await Promise.race([isWarm, clients]);
  await revoke(db, kind, kind === 'key' ? hashApiKey(key) : token);
  committedAt = performance.now();
  await clients;
  agent.destroy();

  const after = startedAfter();
  const admitted = (list: typeof responses): number =>
    list.filter(({ status }) => status === 200).length;
  return {
    requests: responses.length,
    admittedBefore: admitted(responses) - admitted(after),
    startedAfter: after.length,
    admittedAfter: admitted(after),
  };
}

async function revoke(db: Firestore, kind: Kind, id: string): Promise<void> {
  const collection = kind === 'key' ? COLLECTIONS.apiKeys : COLLECTIONS.verificationTokens;
  const record: DocumentReference = db.collection(collection).doc(id);
  await record.update(kind === 'key' ? { active: false } : { revoked: true });
}
