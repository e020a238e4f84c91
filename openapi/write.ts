// Writes the contract and the client generated from it:
//   npm run openapi       writes docs/openapi.json and docs/attestationsClient.ts
//   npm run check         runs this with --check, which only reports whether they are current

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../terminal/failure.ts';
import { runScript } from '../terminal/runScript.ts';
import { openapiDocument } from './document.ts';

const DOCS = new URL('../docs/', import.meta.url);
const CONTRACT = 'openapi.json';
const CLIENT = 'attestationsClient.ts';

function generate(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const contract = join(folder, CONTRACT);
    const client = join(folder, CLIENT);
    writeFileSync(contract, `${JSON.stringify(openapiDocument(), null, 2)}\n`);
    const generator = createRequire(import.meta.url).resolve('oazapfts');
    const { status } = spawnSync(
      process.execPath,
      [join(generator, '../cli.js'), contract, client],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (status !== 0) throw new Error(`oazapfts ended with status ${status}`);
    return {
      [CONTRACT]: readFileSync(contract, 'utf8'),
      [CLIENT]: readFileSync(client, 'utf8'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function committed(name: string): string {
  try {
    return readFileSync(new URL(name, DOCS), 'utf8');
  } catch {
    return '';
  }
}

await runScript(async () => {
  const files = Object.entries(generate());
  if (!process.argv.includes('--check')) {
    for (const [name, text] of files) writeFileSync(new URL(name, DOCS), text);
    return 0;
  }
  const stale = files.find(([name, text]) => committed(name) !== text);
  if (stale) {
    throw new Failure(`docs/${stale[0]} is not what the code says: run \`npm run openapi\`.`);
  }
  return 0;
});
