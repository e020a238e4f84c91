// The long runs, one after the other; prints what each found and fails if one of them did.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const RUNS = ['pressure', 'audit'] as const;

async function run(name: (typeof RUNS)[number]): Promise<boolean> {
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  console.log((await text(child.stdout)).trim());
  const [status] = await exited;
  return status === 0;
}

let good = true;
for (const name of RUNS) good = (await run(name)) && good;
console.error(good ? 'Every run is good.' : 'A run failed: see its line above.');
process.exitCode = good ? 0 : 1;
