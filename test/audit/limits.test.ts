// Tests the audit's failures and warnings, its text report, and the states in which it must not report a clean mirror.

import { afterAll, expect, onTestFinished, test } from 'vitest';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { DEMONSTRATION_PROGRAM } from '../../contract/examples.ts';
import type { Fault } from '../../tools/sandbox/reply.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { runAdmin } from '../cli/adminCommand.ts';
import { altered, respondJson } from '../doubles/callFaults.ts';
import { randomAddress } from '../support/random.ts';
import { openOwnProject } from '../support/seed.ts';
import { audit, auditWords, randomRecord, seedValidMirror } from './mirror.ts';

const DOCUMENTS = 40;
/** A tenth of the documents is pending. */
const CONFIRMED = 36;
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const { project, db } = openOwnProject();
const chain = await TestChain.start();
afterAll(() => chain[Symbol.asyncDispose]());
await seedValidMirror(db, chain, DOCUMENTS);

/** Sets an account of the program until the end of the test. */
function addAccount(address: string, bytes?: number): void {
  chain.setAccount(address, DEMONSTRATION_PROGRAM, bytes);
  onTestFinished(() => chain.setAccount(address, null));
}

/** Audits the mirror, while the chain has these faults one after the other. */
async function auditWith(words: readonly string[], ...faults: (Fault | undefined)[]) {
  chain.faults.splice(0, chain.faults.length, ...faults);
  return await audit(project, chain.url, ...words);
}

test('four batches of documents are compared with the chain at a time', async () => {
  await using ownChain = await TestChain.start();
  // Almost too much.
  ownChain.behindMs = 240_000;
  const own = openOwnProject();
  await seedValidMirror(own.db, ownChain, 500);
  const four = Promise.withResolvers<void>();
  let waiting = 0;
  const held = altered(async (body) => {
    waiting += 1;
    if (waiting === 4) four.resolve();
    await four.promise;
    return body;
  });
  // The first two requests check the node.
  ownChain.faults.push(undefined, undefined, ...Array(4).fill(held));
  const { status, summary } = await audit(own.project, ownChain.url);
  expect({ status, documents: summary.documents }).toEqual({ status: 0, documents: 500 });
});

test('accounts without a document are found only with --both-ways', async () => {
  // More than one query may name.
  const unknown = Array.from({ length: 31 }, randomAddress);
  const withoutData = randomAddress();
  for (const address of unknown) addAccount(address);
  addAccount(withoutData, 0);
  chain.setAccount(randomAddress(), randomAddress());
  const { status, stderr, findings, summary } = await auditWith(['--both-ways']);
  expect(stderr).toContain('40 of 40 documents audited, findings: 32\n');
  const reasons = new Map(findings.map((one) => [one.onChainAddress, one.reason]));
  const undecoded = expect.stringContaining('its data was not decoded');
  expect(reasons).toEqual(
    new Map([
      ...unknown.map((address) => [address, undecoded] as const),
      [withoutData, expect.stringContaining('without data, so it is not an attestation')],
    ]),
  );
  expect(summary).toMatchObject({ accounts: CONFIRMED + 32, findings: { missing_in_mirror: 32 } });
  expect(status).toBe(1);

  const oneWay = await auditWith([]);
  expect(oneWay.summary).toMatchObject({ accounts: null, findings: { missing_in_mirror: null } });
  expect(oneWay.status).toBe(0);
});

test('an account that is mirrored or closed during the audit is not reported as missing', async () => {
  const record = randomRecord();
  const closed = randomAddress();
  for (const address of [record.onChainAddress, closed]) addAccount(address);
  onTestFinished(async () => void (await db.doc('attestations/!').delete()));
  // The audit reads in the order of the ids, and has already passed this one.
  const write: Fault = (_, next) => {
    chain.setAccount(closed, null);
    void db.doc('attestations/!').set(record).then(next);
  };
  const before = [undefined, undefined, undefined];
  const { status, findings, summary } = await auditWith(['--both-ways'], ...before, write);
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({ documents: DOCUMENTS, warnings: [] });
  expect(status).toBe(0);
});

test('a node that does not list the accounts causes a warning and exit status 1', async () => {
  const error = { code: -32601, message: 'Method not found' };
  const faults = [undefined, undefined, respondJson({ jsonrpc: '2.0', error, id: null })];
  const { status, stderr, findings, summary } = await auditWith(['--both-ways'], ...faults);
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({
    ...{ complete: true, documents: DOCUMENTS, warnings: [{ code: 'not_listed' }] },
    accounts: null,
    findings: { missing_in_mirror: null },
  });
  // The node's own text may contain the key of its address.
  expect(stderr).toContain('(JSON-RPC error -32601)');
  expect(status).toBe(1);
});

test('a mirror that was not synced for --max-sync-hours causes a warning and exit status 1', async () => {
  const stopped = openOwnProject();
  const createdAt = new Date(Date.now() - 73 * HOUR_MS);
  const record = randomRecord({ createdAt });
  addAccount(record.onChainAddress);
  await stopped.db.doc('attestations/a').set(record);
  const stale = await audit(stopped.project, chain.url);
  expect(Date.now() - Date.parse(stale.summary.auditedAt)).toBeLessThan(HOUR_MS);
  expect(stale.summary).toMatchObject({
    ...{ found: 0, syncedHoursAgo: 73, stale: true },
    warnings: [{ code: 'stale_mirror', message: expect.stringContaining('in the last 72 hours') }],
  });
  expect(stale.status).toBe(1);
  const fresh = await audit(stopped.project, chain.url, '--max-sync-hours', '73');
  expect(fresh.summary).toMatchObject({ syncedHoursAgo: 73, stale: false, warnings: [] });
  expect(fresh.status).toBe(0);
});

const ANOTHER_CLUSTER = { cluster: MAINNET };
const BEHIND = { behindMs: 303_000 };
test.each([
  ['a node of another cluster', ANOTHER_CLUSTER, 'wrong_cluster', 'is not a node of Solana devnet'],
  ['a node that is behind', BEHIND, 'stale_node', 'is 5 minutes behind the chain. Use'],
  ['an empty mirror', {}, 'empty_mirror', 'no documents. Check --firebase-project'],
])('%s is a failure', async (_, state, code, message) => {
  await using node = await TestChain.start();
  Object.assign(node, state);
  const audited = code === 'empty_mirror' ? `${project}-empty` : project;
  const { status, stderr, findings, summary } = await audit(audited, node.url);
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({ complete: false, failure: { code } });
  expect(stderr).toContain(message);
  expect(status).toBe(3);
});

test('a node that falls behind the slot of its first reply is asked again', async () => {
  const thenBehind = (ms: number) =>
    altered((body) => {
      chain.behindMs = ms;
      return body;
    });
  const { status, stderr } = await auditWith([], undefined, thenBehind(60_000), thenBehind(0));
  expect(stderr).toContain('unavailable (JSON-RPC error -32016), attempt 1 of 6; retrying');
  expect(status).toBe(0);
});

test('the text report has a line for each finding, then the counts and what to check', async () => {
  const other = randomAddress();
  chain.setAccount(other, 'BPFLoaderUpgradeab1e11111111111111111111111');
  const { status, stdout } = await runAdmin(auditWords(project, chain.url, '--program', other));
  const [lines = '', counts, totals] = stdout.split('\n\n');
  const line = /^address_mismatch +attestations\/(\w+) +\1 +derives to \w+$/gm;
  expect(lines.match(line)).toHaveLength(DOCUMENTS);
  expect(counts).toMatch(/^address_mismatch +40$/m);
  expect(totals).toMatch(/^40 documents audited in \d{1,2}(\.\d+)? s, with /);
  expect(totals).toMatch(
    /^WARNING: address_mismatch for 40 of 40 documents: check that --program/m,
  );
  expect(status).toBe(1);
});
