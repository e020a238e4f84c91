#!/usr/bin/env -S node --no-concurrent-recompilation
// A lookup by wallet on Node's own HTTP server and client: the least that a lookup costs. It returns the same bodies as the
// service. It signs, logs and checks nothing, and has no time limits.

import { createHash } from 'node:crypto';
import { createServer, get, type IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { json } from 'node:stream/consumers';

const { GCLOUD_PROJECT, GCE_METADATA_HOST, PORT } = process.env;
const DOCUMENTS = `projects/${GCLOUD_PROJECT}/databases/(default)/documents`;
const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';

const agent = new Agent({ keepAlive: true });
const jsonOf = async (sending: (onResponse: (incoming: IncomingMessage) => void) => void) =>
  // biome-ignore lint/suspicious/noExplicitAny: the responses are prepared
  (await json(await new Promise<IncomingMessage>(sending))) as any;
const authorization = jsonOf((onResponse) => {
  const url = `http://${GCE_METADATA_HOST}${TOKEN_PATH}`;
  get(url, { headers: { 'Metadata-Flavor': 'Google' } }, onResponse);
}).then(({ access_token }) => `Bearer ${access_token}`);

async function call(method: string, content: object) {
  const Authorization = await authorization;
  const path = `/v1/${DOCUMENTS}:${method}?prettyPrint=false`;
  return await jsonOf((onResponse) => {
    const options = { method: 'POST', host: 'firestore.googleapis.com', path, agent };
    const headers = { Authorization, 'Content-Type': 'application/json' };
    request({ ...options, headers }, onResponse).end(JSON.stringify(content));
  });
}

const readKey = (hash: string) => call('batchGet', { documents: [`${DOCUMENTS}/apiKeys/${hash}`] });
const readAttestations = (wallet: string) => {
  const value = { stringValue: wallet };
  const fieldFilter = { field: { fieldPath: 'wallet' }, op: 'EQUAL', value };
  const from = [{ collectionId: 'attestations' }];
  return call('runQuery', { structuredQuery: { from, where: { fieldFilter } } });
};

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

createServer(async ({ url = '', headers }, response) => {
  const wallet = new URL(url, 'http://x').searchParams.get('wallet') ?? '';
  const hash = createHash('sha256').update(String(headers['x-poh-api-key'])).digest('hex');
  const [[{ found }], rows] = await Promise.all([readKey(hash), readAttestations(wallet)]);
  const isAdmitted = found.fields.active.booleanValue === true;
  const attestations = rows
    .map(({ document: { fields } }: { document: { fields: Record<string, Value> } }) => {
      const { wallet: _, ...rest } = fields;
      return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, plain(value)]));
    })
    .sort(
      (a: Record<string, string>, b: Record<string, string>) =>
        order(a['createdAt'] ?? '', b['createdAt'] ?? '') ||
        order(a['onChainAddress'] ?? '', b['onChainAddress'] ?? ''),
    );
  const counts = [0, 0, 0, 0, 0];
  for (const { status, attestationType } of attestations) {
    if (status === 'confirmed') counts[attestationType] = (counts[attestationType] ?? 0) + 1;
  }
  const [humans = 0, votedCount = 0, supportedCount = 0] = counts;
  const body = JSON.stringify({
    ...{ wallet, attestations, count: attestations.length, hasVerifiedHuman: humans > 0 },
    ...{ hasVoted: votedCount > 0, votedCount },
    ...{ hasSupportedProposal: supportedCount > 0, supportedCount },
  });
  response.writeHead(isAdmitted ? 200 : 401, { 'Content-Type': 'application/json' }).end(body);
}).listen(Number(PORT));

interface Value {
  readonly stringValue?: string;
  readonly integerValue?: string;
  readonly timestampValue?: string;
}
const plain = ({ stringValue, integerValue, timestampValue }: Value) =>
  stringValue ?? timestampValue ?? Number(integerValue);
