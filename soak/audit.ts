// Audits mirrors of 10,000 and of 100,000 documents: exact findings, and memory that stays the same.
// Inside the emulators: npm run emulators -- node soak/audit.ts

import * as z from 'zod';
import { runScript } from '../terminal/runScript.ts';
import { runAdmin } from '../testbed/adminCommand.ts';
import { DEMONSTRATION_PROGRAM } from '../testbed/attestationRecord.ts';
import { plantSound, randomMirror } from '../testbed/mirror.ts';
import { openEmulators } from '../testbed/openEmulators.ts';
import { PLANTED_DOCUMENTS, plantFindings } from '../testbed/plants.ts';
import { TestChain } from '../testbed/testChain.ts';

const SIZES = [10_000, 100_000] as const;
/** The audit lives on some 40 MiB; 100,000 documents, were they held, would take 50 MiB more. */
const HEAP_MIB = 80;
/** How much more memory ten times the documents may take: what is freed late, not what is held. */
const GROWTH_MAX = 1.25;
const PROGRESS_EVERY = 10_000;

const auditDocument = z.object({
  findings: z.array(z.object({ kind: z.string(), document: z.string() })),
  summary: z.object({
    complete: z.literal(true),
    documents: z.int(),
    seconds: z.number(),
    peakMemoryMiB: z.number(),
  }),
});

interface Run {
  readonly documents: number;
  readonly findings: number;
  readonly seconds: number;
  readonly peakMemoryMiB: number;
  /** What was found and not planted, or planted and not found. */
  readonly differences: readonly string[];
}

async function runOver(size: number): Promise<Run> {
  const { project, db } = randomMirror();
  await using chain = await TestChain.start();
  const planted = await plantFindings(db, chain);
  await plantSound(db, chain, size - PLANTED_DOCUMENTS, (written) => {
    if (written % PROGRESS_EVERY === 0) console.error(`planted ${written} of ${size} documents`);
  });
  await db.terminate();
  const command = ['--firebase-project', project, 'attestations', 'audit', '--json'];
  const { stdout } = await runAdmin(
    [...command, '--rpc', chain.url, '--program', DEMONSTRATION_PROGRAM],
    { nodeOptions: [`--max-old-space-size=${HEAP_MIB}`], echo: true },
  );
  const { findings, summary } = auditDocument.parse(JSON.parse(stdout));
  const name = (one: { kind: string; document: string }): string => `${one.kind} ${one.document}`;
  const differences = outsideOne(findings.map(name), planted.map(name));
  return {
    documents: summary.documents,
    findings: findings.length,
    seconds: summary.seconds,
    peakMemoryMiB: summary.peakMemoryMiB,
    differences,
  };
}

function outsideOne(found: readonly string[], planted: readonly string[]): string[] {
  return [
    ...found.filter((one) => !planted.includes(one)),
    ...planted.filter((one) => !found.includes(one)),
  ];
}

await runScript(async () => {
  // Refuses to go on without the emulators.
  openEmulators();
  const runs: Run[] = [];
  for (const size of SIZES) runs.push(await runOver(size));
  const peaks = runs.map(({ peakMemoryMiB }) => peakMemoryMiB);
  const growth = Math.max(...peaks) / Math.min(...peaks);
  const good =
    growth <= GROWTH_MAX &&
    runs.every(({ documents, differences }, index) => {
      return documents === SIZES[index] && differences.length === 0;
    });
  console.log(JSON.stringify({ soak: 'audit', good, growth: Number(growth.toFixed(2)), runs }));
  return good ? 0 : 1;
});
