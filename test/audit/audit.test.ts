// Runs the audit over a large mirror and a test chain.

import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { FAULTS } from '../../tools/sandbox/chainFaults.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { amount, LONG_RUN } from '../support/amount.ts';
import { openOwnProject } from '../support/ownProject.ts';
import { auditDocument, auditOf } from './auditCommand.ts';
import { seedValidMirror } from './mirror.ts';
import { PLANTED_DOCUMENTS, type Planted, plantFindings } from './plants.ts';

const DOCUMENTS = amount(10_000);

const large = openOwnProject();
const small = openOwnProject();
let chain: TestChain;
let plantedInLarge: Planted[];
let plantedInSmall: Planted[];

beforeAll(async () => {
  chain = await TestChain.start();
  plantedInSmall = await plantFindings(small.db, chain);
  plantedInLarge = await plantFindings(large.db, chain);
  await seedValidMirror(large.db, chain, DOCUMENTS - PLANTED_DOCUMENTS);
});

afterAll(async () => {
  await chain[Symbol.asyncDispose]();
  await Promise.all([large.db.terminate(), small.db.terminate()]);
});

test(`${DOCUMENTS} documents: finds exactly what was planted, despite faults of the chain`, async () => {
  const before = await writeTimes();
  chain.faults.push(undefined, FAULTS.rateLimited, undefined, FAULTS.dropped);
  chain.faults.push(undefined, FAULTS.page);
  const { status, stdout, stderr } = await auditOf(large.project, chain.url, '--json');

  const { findings, summary } = auditDocument.parse(JSON.parse(stdout));
  expect(sorted(findings)).toStrictEqual(sorted(plantedInLarge));
  expect(status).toBe(1);
  expect(summary).toMatchObject({
    complete: true,
    documents: DOCUMENTS,
    total: DOCUMENTS,
    findings: tallyOf(plantedInLarge),
    repetitions: 3,
  });
  expect(stderr).toContain(
    'limits the rate of requests (HTTP 429); retrying in 0.5 s (attempt 2 of 6)',
  );
  // Progress is printed every two seconds.
  if (LONG_RUN) expect(stderr).toMatch(/\d of 10,000 documents audited, findings: \d/);
  expect(Math.max(...chain.batches)).toBe(100);
  expect(await writeTimes()).toStrictEqual(before);
  console.log(
    `Audited ${summary.documents} documents in ${summary.seconds} s, ` +
      `peak memory ${summary.peakMemoryMiB} MiB.`,
  );
});

test('the text report has a line for each finding, then the counts', async () => {
  const { status, stdout } = await auditOf(small.project, chain.url);
  const [lines = '', counts, totals] = stdout.split('\n\n');
  expect(sorted(lines.split('\n').map(parseLine))).toStrictEqual(sorted(plantedInSmall));
  for (const [kind, count] of Object.entries(tallyOf(plantedInSmall))) {
    expect(counts).toMatch(new RegExp(`^${kind} +${count}$`, 'm'));
  }
  expect(totals).toMatch(
    new RegExp(`^${PLANTED_DOCUMENTS} documents audited in [\\d.]+ s, with 3 `),
  );
  expect(status).toBe(1);
});

test('--wallet audits only one wallet', async () => {
  const document = plantedInSmall.find(({ kind }) => kind === 'ready_to_confirm')?.document ?? '';
  const wallet = z.string().parse((await small.db.doc(document).get()).get('wallet'));
  const result = await auditOf(small.project, chain.url, '--wallet', wallet, '--json');
  const { findings, summary } = auditDocument.parse(JSON.parse(result.stdout));
  expect(findings).toMatchObject([{ kind: 'ready_to_confirm', document, wallet }]);
  expect(summary).toMatchObject({ documents: 1, total: 1 });
  expect(result.status).toBe(1);
});

test('earlier findings are reported if the chain stops responding', async () => {
  const SUCCESSFUL_REQUESTS = 4;
  chain.faults.push(...Array<undefined>(SUCCESSFUL_REQUESTS).fill(undefined), FAULTS.forbidden);
  const result = await auditOf(large.project, `${chain.url}?api-key=secret`, '--json');
  const { findings, summary } = auditDocument.parse(JSON.parse(result.stdout));
  expect(result.status).toBe(3);
  expect(summary).toMatchObject({
    complete: false,
    failure: { code: 'refused' },
    total: DOCUMENTS,
  });
  // The first two requests are for the genesis hash, and for the clock and the program.
  expect(summary.documents).toBe((SUCCESSFUL_REQUESTS - 2) * 100);
  expect(sorted(plantedInLarge)).toEqual(expect.arrayContaining(sorted(findings)));
  expect(result.stderr).toMatch(/could not be read: [\d.:]+ refused the request \(HTTP 403\)/);
  expect(result.stderr + result.stdout).not.toContain('secret');
});

const sorted = (list: readonly { document: string; kind: string }[]) =>
  list.map(({ document, kind }) => `${document} ${kind}`).sort();

function tallyOf(list: readonly Planted[]): Record<string, number> {
  return Object.fromEntries(
    [...new Set(list.map(({ kind }) => kind))].map((kind) => [
      kind,
      list.filter((one) => one.kind === kind).length,
    ]),
  );
}

function parseLine(line: string): { kind: string; document: string } {
  const [kind = '', document = ''] = line.split(/ {2,}/);
  return { kind, document };
}

/** The times of the last writes, to prove that an audit changes nothing. */
async function writeTimes(): Promise<unknown[]> {
  const stored = await large.db.getAll(
    ...plantedInLarge.map(({ document }) => large.db.doc(document)),
  );
  return stored.map(({ updateTime }) => updateTime?.toMillis());
}
