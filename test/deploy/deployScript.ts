// Runs deploy/apply.sh as a person does, with stand-ins for gcloud and npm on PATH.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { CommandResult } from '../admin/adminCommand.ts';

const SCRIPT = fileURLToPath(new URL('../../deploy/apply.sh', import.meta.url));
const STAND_IN = fileURLToPath(new URL('gcloud-stand-in.sh', import.meta.url));
// As `npm run build:jobs -- FILE` does, in no time.
const NPM = `#!/bin/sh\n[ "$1 $2 $3 $4" = 'run --silent build:jobs --' ] && echo bundle >"$5"\n`;

/** A Google Cloud project as far as the stand-in for gcloud knows it. */
export interface StandInProject extends AsyncDisposable {
  /** Runs the script; its calls of gcloud are added to `calls`. */
  readonly apply: (words: readonly string[]) => Promise<CommandResult>;
  /** Each call of gcloud so far, as its arguments. */
  readonly calls: () => Promise<string[][]>;
  /** What was created so far. */
  readonly there: () => Promise<string[]>;
  /** Lets the call of this number fail, counted from now; undefined: none. */
  readonly failAt: (call: number | undefined) => Promise<void>;
}

export async function standInProject(): Promise<StandInProject> {
  const directory = await mkdtemp(join(tmpdir(), 'gcloud-stand-in-'));
  const file = (name: string) => join(directory, name);
  await copyFile(STAND_IN, file('gcloud'));
  await writeFile(file('npm'), NPM);
  for (const name of ['gcloud', 'npm']) await chmod(file(name), 0o755);
  const lines = async (name: string) =>
    existsSync(file(name)) ? (await readFile(file(name), 'utf8')).split('\n').slice(0, -1) : [];
  const calls = async () => (await lines('calls')).map((line) => line.split('\x1f').slice(0, -1));
  return {
    apply: async (words) => {
      const child = spawn(SCRIPT, words, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          PATH: `${directory}:${process.env['PATH']}`,
          GCLOUD_STAND_IN: directory,
        },
      });
      const exited = once(child, 'exit');
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      await exited;
      return { status: child.exitCode, stdout, stderr };
    },
    calls,
    there: () => lines('there'),
    failAt: async (call) => {
      if (call === undefined) await rm(file('fail_at'), { force: true });
      else await writeFile(file('fail_at'), String((await calls()).length + call));
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}
