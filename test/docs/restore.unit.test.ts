// Runs the line of docs/restore.md that finds forged records. `keys.test.ts` runs those that revoke again.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const hasJq = spawnSync('jq', ['--version']).status === 0;

test.skipIf(!hasJq)(
  'it lists the active keys and admins that the copies lack, and no others',
  () => {
    const [command] = /jq -rs .*\/dev\/stdin/.exec(readFileSync('docs/restore.md', 'utf8')) ?? [];
    const folder = temporaryFolder();
    const keyOf = (id: string, active = true) => ({
      id,
      active,
      project: `Acme ${id}`,
      createdBy: 'eve',
      createdAt: '2026-11-20',
    });
    const adminOf = (uid: string, active = true) => ({
      uid,
      active,
      email: `${uid}@example.com`,
      createdBy: 'eve',
      grantedAt: '2026-11-20',
    });
    const files = {
      'keys-copy.json': [keyOf('known'), keyOf('revoked', false)],
      'admins-copy.json': [adminOf('colleague')],
      'keys-restored.json': [
        keyOf('known'),
        keyOf('revoked'),
        keyOf('forged'),
        keyOf('off', false),
      ],
      'admins-now.json': [adminOf('colleague'), adminOf('intruder'), adminOf('past', false)],
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), JSON.stringify(content));
    // In the document, a pipe brings the list of admins.
    const words = ['-c', `cat admins-now.json | ${command}`];
    const { stdout, stderr } = spawnSync('bash', words, { cwd: folder, encoding: 'utf8' });
    expect(stdout.split('\n'), stderr).toEqual([
      'forged\tAcme forged\teve\t2026-11-20',
      'intruder\tintruder@example.com\teve\t2026-11-20',
      '',
    ]);
  },
);
