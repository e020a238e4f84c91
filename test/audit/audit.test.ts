// Runs the audit over a large mirror and a test chain. With LONG_RUN, it is large enough to measure the memory.

import { afterAll, expect, test } from 'vitest';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { spawnAdmin } from '../cli/adminCommand.ts';
import { closedBeforeHeaders, page, respond } from '../doubles/callFaults.ts';
import { LONG_RUN } from '../support/amount.ts';
import { randomAddress } from '../support/random.ts';
import { openOwnProject } from '../support/seed.ts';
import { audit, auditWords, parseReport, seedValidMirror } from './mirror.ts';
import { PLANTED_UNMIRRORED, type Planted, plantFindings } from './plants.ts';

const VALID_DOCUMENTS = LONG_RUN ? 100_000 : 300;
/**
 * With the limits on the heap for 100,000 documents. The audit needs about 40 MiB, and 10 MiB more for their addresses.
 * Keeping the documents would take another 50 MiB. The list of 100,000 accounts takes 24 MiB, and twice that while it
 * is parsed.
 */
const WAYS = [
  { ways: 'one way', options: [], heapMiB: 80, unmirrored: 0 },
  { ways: 'both ways', options: ['--both-ways'], heapMiB: 160, unmirrored: PLANTED_UNMIRRORED },
];
const MEMORY_MAX_MIB = 512;

const { project, db } = openOwnProject();
const chain = await TestChain.start();
afterAll(() => chain[Symbol.asyncDispose]());

const planted = await plantFindings(db, chain);
await seedValidMirror(db, chain, VALID_DOCUMENTS);
const { count: documents } = (await db.collection('attestations').count().get()).data();

// Without many documents, the way back includes all of the way there.
test.each(LONG_RUN ? WAYS : WAYS.slice(1))(
  `${documents} documents, $ways: finds exactly what was planted, despite faults of the chain`,
  async ({ ways, options, heapMiB, unmirrored }) => {
    chain.faults.push(
      undefined,
      respond(429, 'Too Many', { 'Retry-After': '0' }),
      undefined,
      closedBeforeHeaders,
    );
    chain.faults.push(undefined, page(200));
    const words = auditWords(project, chain.url, '--json', ...options);
    const env = { NODE_OPTIONS: `--max-old-space-size=${heapMiB}` };
    const { status, stdout, stderr } = await spawnAdmin(words, env);

    const { findings, summary } = parseReport(stdout);
    const without = { kind: 'missing_in_mirror' } as const;
    const expected = [...planted, ...Array<Planted>(unmirrored).fill(without)];
    expect(sorted(findings)).toStrictEqual(sorted(expected));
    expect(status).toBe(1);
    expect(summary).toMatchObject({
      ...{ message: 'audit', complete: true, documents, total: documents },
      findings: tallyOf(expected),
    });
    expect(summary.peakMemoryMiB).toBeLessThanOrEqual(MEMORY_MAX_MIB);
    expect(stderr).toContain('unavailable (HTTP 429), attempt 1 of 6; retrying in 0.5 s');
    expect(stderr.match(/; retrying in /g)).toHaveLength(3);
    // Progress is printed every two seconds.
    if (LONG_RUN) expect(stderr).toMatch(/\d of 100,\d{3} documents audited, findings: \d/);
    // Not every document has an address of its own. The chain refuses more than 100 addresses.
    expect(Math.max(...chain.batches)).toBeGreaterThan(90);
    // The node's clock is read at a level that cannot be undone, the accounts at the one at which they are mirrored.
    expect(chain.commitments.slice(0, 2)).toEqual(['finalized', 'confirmed']);
    expect(new Set(chain.commitments.splice(0).slice(1))).toEqual(new Set(['confirmed']));
    console.log(
      `${ways}, ${documents} documents: ${summary.seconds} s, ${summary.peakMemoryMiB} MiB.`,
    );
  },
);

test('--wallet audits only one wallet', async () => {
  const { document = '' } = planted.find(({ kind }) => kind === 'ready_to_confirm') ?? {};
  const wallet = (await db.doc(document).get()).get('wallet');
  const { status, findings, summary } = await audit(project, chain.url, '--wallet', wallet);
  expect(findings).toMatchObject([{ kind: 'ready_to_confirm', document, wallet }]);
  // The age of one wallet's documents does not tell whether the mirror is synced.
  expect(summary).toMatchObject({ documents: 1, total: 1, syncedHoursAgo: null });
  expect(status).toBe(1);
  expect((await audit(project, chain.url, '--wallet', randomAddress())).status).toBe(0);
});

test('earlier findings are reported if the chain stops responding', async () => {
  const SUCCESSFUL_REQUESTS = 4;
  chain.faults.push(...Array<undefined>(SUCCESSFUL_REQUESTS).fill(undefined), page(403));
  const { status, stderr, findings, summary } = await audit(project, `${chain.url}?key=secret`);
  expect(status).toBe(3);
  expect(summary).toMatchObject({
    complete: false,
    failure: { code: 'refused' },
    total: documents,
  });
  // The first two requests are for the genesis hash, and for the clock and the program.
  expect(summary.documents).toBe((SUCCESSFUL_REQUESTS - 2) * 100);
  expect(sorted(planted)).toEqual(expect.arrayContaining(sorted(findings)));
  expect(stderr).toMatch(/could not be read\. [\d.:]+: refused \(HTTP 403\), attempt 1/);
  expect(stderr + JSON.stringify([findings, summary])).not.toContain('secret');
});

const sorted = (list: readonly Planted[]) =>
  list.map(({ document = '', kind }) => `${document} ${kind}`).sort();

const tallyOf = (list: readonly Planted[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(list, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
  );
