// Tests the archives from which the clients are installed. `npm run check` compares their versions with the documents.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { addReleased, packClients } from '../../site/clients.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('an archive', () => {
  const folder = temporaryFolder();
  const archives = packClients(folder);

  test('that was deployed stays, and never changes', () => {
    const [released, target] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(released, 'poh-attestations-0.9.0.tgz'), 'an earlier one');
    for (const name of archives) {
      for (const each of [released, target]) copyFileSync(join(folder, name), join(each, name));
    }
    addReleased(target, archives, released);
    expect(readFileSync(join(target, 'poh-attestations-0.9.0.tgz'), 'utf8')).toBe('an earlier one');
    for (const name of archives) {
      const other = name.endsWith('.tgz') ? gzipSync('another content') : 'another content';
      writeFileSync(join(released, name), other);
      expect(() => addReleased(target, archives, released)).toThrow(`${name} was deployed with`);
      copyFileSync(join(folder, name), join(released, name));
    }
  });

  test('has the same bytes for the same sources', () => {
    const again = temporaryFolder();
    expect(packClients(again)).toEqual(archives);
    for (const name of archives) {
      expect(readFileSync(join(again, name)).equals(readFileSync(join(folder, name)))).toBe(true);
    }
  });
});
