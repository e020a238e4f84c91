// The benchmark: `npm run bench` prints one table, `npm run bench -- --json FILE` writes its figures too.

import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { usageFailure } from '../terminal/failure.ts';
import { runScript } from '../terminal/runScript.ts';
import { formatTable } from '../terminal/table.ts';
import { type BilledReads, countBilledReads } from './billedReads.ts';
import { measureColdStart } from './coldStart.ts';
import { measureGrowth } from './growth.ts';
import { measureLatency } from './latency.ts';
import { measureMemory } from './memory.ts';
import { buildPeers, withContestants } from './peers.ts';
import { plotGrowth } from './plot.ts';
import { formatRows, isReached, type Row } from './rows.ts';
import { measureSignatures } from './signatures.ts';

const PLOT = new URL('../docs/growth.svg', import.meta.url);

await runScript(async () => {
  const file = jsonFile();
  return await withContestants(() => benchmark(file));
});

/** The file that the command line names; whether it can be written is found out before minutes of work. */
function jsonFile(): string | undefined {
  try {
    const { json } = parseArgs({ options: { json: { type: 'string' } } }).values;
    if (json !== undefined) writeFileSync(json, '', { flag: 'a' });
    return json;
  } catch (error) {
    throw usageFailure(`${(error as Error).message}\nUse: npm run bench [-- --json FILE]`);
  }
}

/**
 * @param json a file for the figures
 * @returns the exit status
 */
async function benchmark(json: string | undefined): Promise<number> {
  await buildPeers();
  const coldStart = shown(await measureColdStart());
  const latency = shown(await measureLatency());
  const signatures = shown(await measureSignatures());
  const { rows: growth, points } = await measureGrowth();
  shown(growth);
  const memory = shown(await measureMemory());
  const billedReads = await countBilledReads();
  const rows = [...coldStart, ...latency, ...growth, ...signatures, ...memory];
  const missed = rows.filter((row) => !isReached(row));
  const machine = {
    processor: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };

  // Not to standard output, to which the emulators write as well.
  if (json !== undefined) {
    writeFileSync(json, JSON.stringify({ machine, rows, growth: points, billedReads }, null, 2));
  }
  writeFileSync(PLOT, plotGrowth(points));
  console.log(`\n${formatRows(rows)}\n\n${formatReads(billedReads)}\n`);
  console.log(`${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.node}, ${machine.date}`);
  console.log('Medians, in brackets the quartiles over interleaved runs. Growth: docs/growth.svg');
  if (missed.length > 0) {
    console.error(
      `Targets missed: ${missed.map((row) => `${row.section}, ${row.measure}`).join('; ')}`,
    );
  }
  return missed.length > 0 ? 1 : 0;
}

/** Each section's rows at once on standard error, since the whole takes minutes. */
function shown(section: readonly Row[]): readonly Row[] {
  console.error(formatRows(section));
  return section;
}

function formatReads(counted: readonly BilledReads[]): string {
  const rows = counted.map(({ request, ...figures }) => [
    request,
    ...Object.values(figures).map(String),
  ]);
  return formatTable(['billed for', 'status', 'reads', 'accounts'], rows);
}
