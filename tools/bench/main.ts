// The benchmark. `npm run bench` prints one table, `npm run bench -- cold` measures only that section, and
// `--json FILE` also writes the figures to a file.

import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { usageFailure } from '../../admin/terminal/failure.ts';
import { runScript } from '../../admin/terminal/runScript.ts';
import { measureColdStart } from './coldStart.ts';
import { buildPeers, serviceHosts, withContestants } from './contestants.ts';
import { measureWithEmulator } from './emulator.ts';
import { measureLookups } from './lookups.ts';
import { measureMemory } from './memory.ts';
import { startPreparedDatabase } from './preparedDatabase.ts';
import { formatRows, meetsTarget, type Row } from './rows.ts';

const SECTIONS = {
  cold: measureColdStart,
  lookups: measureLookups,
  emulator: measureWithEmulator,
  memory: measureMemory,
};
const isSection = (name: string): name is keyof typeof SECTIONS => Object.hasOwn(SECTIONS, name);
const ALL_SECTIONS = Object.keys(SECTIONS).filter(isSection);

await runScript(async () => {
  const { sections, json } = commandLine();
  return await withContestants(() => benchmark(sections, json));
});

/** Parses the command line. Opens the output file now, so that the benchmark cannot fail after minutes of work. */
function commandLine() {
  try {
    const options = { json: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const unknown = positionals.find((name) => !isSection(name));
    if (unknown !== undefined) throw new Error(`Unknown section: ${unknown}.`);
    if (values.json !== undefined) writeFileSync(values.json, '', { flag: 'a' });
    const named = positionals.filter(isSection);
    return { sections: named.length > 0 ? named : ALL_SECTIONS, json: values.json };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageFailure(
      `${reason}\nUse: npm run bench [-- [${ALL_SECTIONS.join('] [')}] [--json FILE]]`,
    );
  }
}

/**
 * @param json a file for the figures
 * @returns the exit status
 */
async function benchmark(
  sections: readonly (keyof typeof SECTIONS)[],
  json: string | undefined,
): Promise<number> {
  await buildPeers();
  const database = await startPreparedDatabase();
  const rows: Row[] = [];
  try {
    for (const section of sections) {
      const measured = await SECTIONS[section](serviceHosts(database.host));
      // Printed now, because the other sections take minutes.
      console.error(formatRows(measured));
      rows.push(...measured);
    }
  } finally {
    database.stop();
  }
  const machine = {
    processor: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
  // Not written to standard output, because the emulators write there too.
  if (json !== undefined) writeFileSync(json, JSON.stringify({ machine, rows }, null, 2));
  console.log(`\n${formatRows(rows)}\n`);
  console.log(`${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.node}, ${machine.date}`);
  console.log('Medians over interleaved rounds, with the quartiles in brackets.');
  const missed = rows.filter((row) => !meetsTarget(row));
  for (const { section, measure, peer } of missed) {
    console.error(`Target missed: ${section}, ${measure}, compared with ${peer}`);
  }
  return missed.length > 0 ? 1 : 0;
}
