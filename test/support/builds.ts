// Notices that tests would run an old build.

import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** @throws if one of the files in the folders is newer than what `command` builds from them */
export function requireNewerThan(folders: string, built: string, command: string): void {
  const changedAt = (file: string) =>
    statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const builtAt = changedAt(built);
  const newer = globSync(`{${folders}}/**/*.{ts,tsx,json,css}`, { cwd: ROOT }).find(
    (file) => changedAt(file) > builtAt,
  );
  if (newer !== undefined)
    throw new Error(`${newer} is newer than ${built}. Run \`${command}\` first.`);
}
