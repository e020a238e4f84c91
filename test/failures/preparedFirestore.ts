// A database whose responses are prepared, so that sending them costs next to nothing: every key is
// active, and every wallet holds the same attestations.

import * as http2 from 'node:http2';
import { createRequire } from 'node:module';
import protobuf from 'protobufjs';
import { framed, GRPC_HEADERS } from '../../doubles/callFaults.ts';
import { listen } from '../../doubles/listen.ts';
import { randomAddress, randomContextHash } from '../../sandbox/random.ts';

export interface PreparedFirestore {
  /** host:port, for FIRESTORE_EMULATOR_HOST. */
  readonly host: string;
  close(): void;
}

const SESSION_MEMORY_MB = 10_000;

const published = protobuf.Root.fromJSON(
  createRequire(import.meta.url)('@google-cloud/firestore-api/build/protos/protos.json'),
);

/** @param count how many attestations each wallet holds */
export async function createPreparedFirestore(count: number): Promise<PreparedFirestore> {
  const wallet = randomAddress();
  const sessions = new Set<http2.ServerHttp2Session>();
  const key = message('BatchGetDocumentsResponse', {
    found: { name: 'key', fields: { active: { booleanValue: true } } },
  });
  const attestations = Buffer.concat(Array.from({ length: count }, () => attestation(wallet)));

  // Unset, Node refuses calls while 10 MB are in memory.
  const server = http2.createServer({ maxSessionMemory: SESSION_MEMORY_MB });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (call, headers) => {
    call.on('error', () => undefined).resume();
    call.respond(GRPC_HEADERS, { waitForTrailers: true });
    call.on('wantTrailers', () => call.sendTrailers({ 'grpc-status': '0' }));
    call.end(headers[':path']?.endsWith('RunQuery') ? attestations : key);
  });
  return {
    host: `127.0.0.1:${await listen(server)}`,
    close() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

function attestation(wallet: string): Buffer {
  // Deriving its address would take longer than everything else.
  const record = {
    wallet,
    attestationType: 1,
    contextHashHex: randomContextHash(),
    status: 'confirmed',
    onChainAddress: randomAddress(),
    createdAt: new Date(),
    syncedAt: new Date(),
  };
  const fields = Object.entries(record).map(([name, value]) => [name, wireValue(value)]);
  const name = `projects/demo-poh/databases/(default)/documents/attestations/${record.onChainAddress}`;
  return message('RunQueryResponse', { document: { name, fields: Object.fromEntries(fields) } });
}

function wireValue(value: string | number | Date): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { integerValue: value };
  return { timestampValue: { seconds: Math.floor(value.getTime() / 1_000), nanos: 0 } };
}

function message(type: string, fields: object): Buffer {
  const schema = published.lookupType(`google.firestore.v1.${type}`);
  return framed(Buffer.from(schema.encode(schema.fromObject(fields)).finish()));
}
