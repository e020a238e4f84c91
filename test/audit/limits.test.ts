// Tests the audit's failures and warnings, and the states in which it must not report a clean mirror.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { altered, respondJson } from '../../tools/doubles/callFaults.ts';
import type { Fault } from '../../tools/doubles/serviceDouble.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { openOwnProject } from '../support/ownProject.ts';
import { randomAddress } from '../support/random.ts';
import { auditOf, parseReport } from './auditCommand.ts';
import { randomRecord, seedValidMirror } from './mirror.ts';

/** More than one query by address may have. */
const DOCUMENTS = 40;
/** A tenth of the documents is pending. */
const CONFIRMED = 36;
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const { project, db } = openOwnProject();
let chain: TestChain;

beforeAll(async () => {
  chain = await TestChain.start();
  await seedValidMirror(db, chain, DOCUMENTS);
});

afterAll(async () => {
  await chain[Symbol.asyncDispose]();
  await db.terminate();
});

/** Audits with --json, while the chain has these faults one after the other. */
async function audit(audited: string, words: readonly string[], ...faults: (Fault | undefined)[]) {
  chain.faults.splice(0, chain.faults.length, ...faults);
  const { status, stdout, stderr } = await auditOf(audited, chain.url, '--json', ...words);
  return { status, stderr, ...parseReport(stdout) };
}

test('accounts without a document are found only with --both-ways', async () => {
  const [unknown, withoutData] = [randomAddress(), randomAddress()];
  chain.setAccount(unknown, DEMONSTRATION_PROGRAM);
  chain.setAccount(withoutData, DEMONSTRATION_PROGRAM, 0);
  chain.setAccount(randomAddress(), randomAddress());
  const { status, findings, summary } = await audit(project, ['--both-ways']);
  const reasons = new Map(findings.map((one) => [one['onChainAddress'], one['reason']]));
  expect(reasons).toEqual(
    new Map([
      [unknown, expect.stringContaining('its data was not decoded')],
      [withoutData, expect.stringContaining('without data, so it is not an attestation')],
    ]),
  );
  expect(summary).toMatchObject({ accounts: CONFIRMED + 2, findings: { missing_in_mirror: 2 } });
  expect(status).toBe(1);

  const oneWay = await audit(project, []);
  expect(oneWay.summary).toMatchObject({ accounts: null, findings: { missing_in_mirror: null } });
  expect(oneWay.status).toBe(0);
  for (const address of [unknown, withoutData]) chain.setAccount(address, null);
});

test('an account that is mirrored during the audit is not reported as missing', async () => {
  const record = randomRecord();
  chain.setAccount(record.onChainAddress, DEMONSTRATION_PROGRAM);
  // The audit reads in the order of the ids, and has already passed this one.
  const write: Fault = (_, next) => {
    void db.doc('attestations/!').set(record).then(next);
  };
  const words = ['--both-ways'];
  const before = [undefined, undefined, undefined];
  const { status, findings, summary } = await audit(project, words, ...before, write);
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({ documents: DOCUMENTS, warnings: [] });
  expect(status).toBe(0);
  await db.doc('attestations/!').delete();
  chain.setAccount(record.onChainAddress, null);
});

test('a node that does not list the accounts causes a warning and exit status 1', async () => {
  const error = { code: -32601, message: 'Method not found' };
  const faults = [undefined, undefined, respondJson({ jsonrpc: '2.0', error, id: null })];
  const { status, stderr, findings, summary } = await audit(project, ['--both-ways'], ...faults);
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

test('a reply to another request is not taken for the accounts of these documents', async () => {
  const revoked = openOwnProject();
  await revoked.db.doc('attestations/a').set(randomRecord());
  await revoked.db.terminate();
  const account = { owner: DEMONSTRATION_PROGRAM, data: ['AAAA', 'base64'] };
  const other = altered((body) =>
    JSON.stringify({ ...JSON.parse(body), result: { value: [account] }, id: randomUUID() }),
  );
  const { findings } = await audit(revoked.project, [], undefined, undefined, other);
  expect(findings).toMatchObject([{ kind: 'missing_on_chain' }]);
});

test('a mirror that was not synced for --max-sync-hours causes a warning and exit status 1', async () => {
  const stopped = openOwnProject();
  const createdAt = new Date(Date.now() - 73 * 3_600_000);
  const record = randomRecord({ createdAt });
  chain.setAccount(record.onChainAddress, DEMONSTRATION_PROGRAM);
  await stopped.db.doc('attestations/a').set(record);
  await stopped.db.terminate();
  const stale = await audit(stopped.project, []);
  expect(stale.summary).toMatchObject({
    ...{ found: 0, syncedHoursAgo: 73, stale: true },
    warnings: [{ code: 'stale_mirror', message: expect.stringContaining('in the last 72 hours') }],
  });
  expect(stale.status).toBe(1);
  const fresh = await audit(stopped.project, ['--max-sync-hours', '73']);
  expect(fresh.summary).toMatchObject({ syncedHoursAgo: 73, stale: false, warnings: [] });
  expect(fresh.status).toBe(0);
  const ofWallet = await audit(stopped.project, ['--wallet', record.wallet]);
  expect(ofWallet.summary).toMatchObject({ syncedHoursAgo: null, stale: false });
  chain.setAccount(record.onChainAddress, null);
});

test('an empty mirror is a failure', async () => {
  const { status, stderr, summary } = await audit(`${project}-empty`, []);
  expect(summary).toMatchObject({ complete: false, failure: { code: 'empty_mirror' } });
  expect(stderr).toContain('The mirror has no documents. Check --firebase-project');
  expect(status).toBe(3);
});

test('more accounts without a document than a query may name are found, with a warning', async () => {
  const lost = openOwnProject();
  await seedValidMirror(lost.db, chain, 1);
  const { docs } = await lost.db.collection('attestations').get();
  await lost.db.terminate();
  const { status, summary } = await audit(lost.project, ['--both-ways']);
  for (const { id } of docs) chain.setAccount(id, null);
  expect(summary).toMatchObject({
    findings: { missing_in_mirror: CONFIRMED },
    warnings: [{ finding: 'missing_in_mirror' }],
  });
  expect(status).toBe(1);
});

test.each([
  ['of another cluster', { cluster: MAINNET }, 'wrong_cluster', 'is not a node of Solana devnet'],
  [
    'that is six minutes behind',
    { behindMs: 360_000 },
    'stale_node',
    'is 6 minutes behind the chain. Use',
  ],
])('a node %s is refused', async (_, state, code, message) => {
  await using other = await TestChain.start();
  Object.assign(other, state);
  const { status, stdout, stderr } = await auditOf(project, other.url, '--json');
  const { findings, summary } = parseReport(stdout);
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
  const faults = [undefined, thenBehind(60_000), thenBehind(0)];
  const { status, stderr } = await audit(project, [], ...faults);
  expect(stderr).toContain('unavailable (JSON-RPC error -32016), attempt 1 of 6; retrying');
  expect(status).toBe(0);
});

test('a finding for most documents causes a warning that says what to check', async () => {
  const other = randomAddress();
  chain.setAccount(other, 'BPFLoaderUpgradeab1e11111111111111111111111');
  const { status, stdout } = await auditOf(project, chain.url, '--program', other);
  expect(stdout).toMatch(
    /^WARNING: address_mismatch for 40 of 40 documents: check that --program is the program of/m,
  );
  expect(status).toBe(1);
});
