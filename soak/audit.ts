// Audits mirrors of 10,000 and of 100,000 documents, one way and both: exact findings, and memory that
// is bounded.
// Inside the emulators: npm run emulators -- node soak/audit.ts

import * as z from 'zod';
import { DEMONSTRATION_PROGRAM } from '../sandbox/attestationRecord.ts';
import { openEmulators } from '../sandbox/openEmulators.ts';
import { TestChain } from '../sandbox/testChain.ts';
import { runScript } from '../terminal/runScript.ts';
import { spawnAdmin } from '../test/admin/adminCommand.ts';
import { plantSound, randomMirror } from '../test/audit/mirror.ts';
import {
  PLANTED_DOCUMENTS,
  PLANTED_UNMIRRORED,
  type Planted,
  plantFindings,
} from '../test/audit/plants.ts';

const SIZES = [10_000, 100_000] as const;
/**
 * The audit needs some 40 MiB, and 10 more for the addresses of 100,000 documents; keeping the
 * documents would take 50 MiB more.
 */
const ONE_WAY_HEAP_MIB = 80;
/** The response that lists 100,000 accounts is 24 MiB, and as much again while it is parsed. */
const BOTH_WAYS_HEAP_MIB = 160;
/** How much more memory ten times the documents may take, one way: what is freed late, as a rule. */
const GROWTH_MAX = 1.25;
const MEMORY_MAX_MIB = 512;
const PROGRESS_EVERY = 10_000;

const auditDocument = z.object({
  findings: z.array(z.object({ kind: z.string(), document: z.string().optional() })),
  summary: z.object({
    complete: z.literal(true),
    documents: z.int(),
    seconds: z.number(),
    peakMemoryMiB: z.number(),
  }),
});

interface Run {
  readonly bothWays: boolean;
  readonly documents: number;
  readonly findings: number;
  readonly seconds: number;
  readonly peakMemoryMiB: number;
  /** What was found and not planted, or planted and not found. */
  readonly differences: readonly string[];
}

async function runsOver(size: number): Promise<Run[]> {
  const { project, db } = randomMirror();
  await using chain = await TestChain.start();
  const planted = await plantFindings(db, chain);
  await plantSound(db, chain, size - PLANTED_DOCUMENTS, (written) => {
    if (written % PROGRESS_EVERY === 0) console.error(`planted ${written} of ${size} documents`);
  });
  await db.terminate();
  const oneWay = await runOnce(project, chain, planted, false);
  return [oneWay, await runOnce(project, chain, planted, true)];
}

async function runOnce(
  project: string,
  chain: TestChain,
  planted: readonly Planted[],
  bothWays: boolean,
): Promise<Run> {
  const heapMiB = bothWays ? BOTH_WAYS_HEAP_MIB : ONE_WAY_HEAP_MIB;
  const command = ['--firebase-project', project, 'attestations', 'audit', '--json'];
  const { stdout } = await spawnAdmin(
    [
      ...[...command, '--rpc', chain.url, '--program', DEMONSTRATION_PROGRAM],
      ...(bothWays ? ['--both-ways'] : []),
    ],
    { nodeOptions: [`--max-old-space-size=${heapMiB}`], echo: true },
  );
  const { findings, summary } = auditDocument.parse(JSON.parse(stdout));
  const expected = [
    ...planted,
    ...Array.from({ length: bothWays ? PLANTED_UNMIRRORED : 0 }, () => ({
      kind: 'missing_in_mirror',
    })),
  ];
  return {
    bothWays,
    documents: summary.documents,
    findings: findings.length,
    seconds: summary.seconds,
    peakMemoryMiB: summary.peakMemoryMiB,
    differences: outsideOne(findings.map(nameOf), expected.map(nameOf)),
  };
}

const nameOf = ({ kind, document = '' }: { kind: string; document?: string | undefined }): string =>
  `${kind} ${document}`;

/** What one of the lists holds more often than the other. */
function outsideOne(found: readonly string[], planted: readonly string[]): string[] {
  const count = (list: readonly string[], name: string): number =>
    list.filter((one) => one === name).length;
  return [...new Set([...found, ...planted])].filter(
    (name) => count(found, name) !== count(planted, name),
  );
}

await runScript(async () => {
  // Refuses to go on without the emulators.
  openEmulators();
  const runs: Run[] = [];
  for (const size of SIZES) runs.push(...(await runsOver(size)));
  const oneWay = runs.filter(({ bothWays }) => !bothWays).map((run) => run.peakMemoryMiB);
  const growth = Math.max(...oneWay) / Math.min(...oneWay);
  const good =
    growth <= GROWTH_MAX &&
    runs.every(
      ({ differences, peakMemoryMiB }) =>
        differences.length === 0 && peakMemoryMiB <= MEMORY_MAX_MIB,
    ) &&
    SIZES.every((size) => runs.filter(({ documents }) => documents === size).length === 2);
  console.log(JSON.stringify({ soak: 'audit', good, growth: Number(growth.toFixed(2)), runs }));
  return good ? 0 : 1;
});
