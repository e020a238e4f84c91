// Tests that the deployed archives of the clients stay. `npm run check` compares the clients' versions with the documents.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { addReleased } from '../../site/clients.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('an archive that was deployed stays, and never changes', () => {
  const [released, target] = [temporaryFolder(), temporaryFolder()];
  const archives = ['poh-attestations-1.0.0.tgz', 'poh_attestations-1.0.0.whl'] as const;
  const deployed = ['poh-attestations-0.9.0.tgz', ...archives];
  const save = (folder: string, name: string, content: string, level: number) => {
    const bytes = name.endsWith('.tgz') ? gzipSync(content, { level }) : content;
    writeFileSync(join(folder, name), bytes);
  };
  for (const name of archives) save(target, name, 'its content', 9);
  for (const name of deployed) save(released, name, 'its content', 1);
  addReleased(target, archives, released);
  // With the deployed bytes, although this version of Node compresses the same content to others.
  for (const name of deployed)
    expect(readFileSync(join(target, name))).toEqual(readFileSync(join(released, name)));
  for (const name of archives) {
    save(released, name, 'another content', 1);
    expect(() => addReleased(target, archives, released)).toThrow(`${name} was deployed with`);
    save(released, name, 'its content', 1);
  }
});
