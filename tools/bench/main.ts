// The benchmark. `npm run bench` prints the table of docs/speed.md, `npm run bench -- cold` only that section.

import { cpus, totalmem } from 'node:os';
import { runScript, usageFailure } from '../../admin/terminal/failure.ts';
import { buildPeers } from './contestants.ts';
import { startDatabase } from './database.ts';
import { measureColdStart, measureLookups, measureMemory } from './sections.ts';
import { formatRows, meetsTarget, type Row } from './table.ts';

const SECTIONS = { cold: measureColdStart, lookups: measureLookups, memory: measureMemory };
const isSection = (name: string): name is keyof typeof SECTIONS => Object.hasOwn(SECTIONS, name);

await runScript(async () => {
  const words = process.argv.slice(2);
  const unknown = words.find((word) => !isSection(word));
  const all = Object.keys(SECTIONS);
  if (unknown !== undefined) {
    throw usageFailure(`${unknown} is not a section. Use: npm run bench [-- [${all.join('] [')}]]`);
  }
  return await benchmark((words.length > 0 ? words : all).filter(isSection));
});

/** @returns the exit status, which is 1 if a target was missed */
async function benchmark(sections: readonly (keyof typeof SECTIONS)[]): Promise<number> {
  await buildPeers();
  const { env, stop } = await startDatabase();
  const rows: Row[] = [];
  try {
    for (const section of sections) rows.push(...(await SECTIONS[section](env)));
  } finally {
    stop();
  }
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  console.log(`\n${formatRows(rows)}\n`);
  console.log(
    `Measured on ${date} with Node ${process.versions.node}, on ${cpus().length} cores with ${memoryGiB} GiB.`,
  );
  const missed = rows.filter((row) => !meetsTarget(row));
  for (const { measure, peer } of missed) console.error(`Target missed: ${measure}, ${peer}.`);
  return missed.length > 0 ? 1 : 0;
}
