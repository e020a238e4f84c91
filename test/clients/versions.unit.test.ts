// Tests the archives from which the clients are installed. `npm run check` compares their versions with the documents.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildClients } from '../../site/clients.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('an archive', () => {
  const folder = temporaryFolder();
  const archives = () => readdirSync(folder).filter((name) => /\.(tgz|whl)$/.test(name));
  // A busy machine needs more than the default of 10 s.
  beforeAll(() => void buildClients(folder), 60_000);

  test('that was deployed stays, and never changes', () => {
    const released = temporaryFolder();
    writeFileSync(join(released, 'poh-attestations-0.9.0.tgz'), 'an earlier one');
    for (const name of archives()) {
      writeFileSync(join(released, name), readFileSync(join(folder, name)));
    }
    const target = temporaryFolder();
    buildClients(target, released);
    expect(readFileSync(join(target, 'poh-attestations-0.9.0.tgz'), 'utf8')).toBe('an earlier one');
    for (const name of archives()) {
      const other = name.endsWith('.tgz') ? gzipSync('another content') : 'another content';
      writeFileSync(join(released, name), other);
      expect(() => buildClients(temporaryFolder(), released)).toThrow(`${name} was deployed with`);
      writeFileSync(join(released, name), readFileSync(join(folder, name)));
    }
  });

  test('has the same bytes for the same sources', () => {
    const again = temporaryFolder();
    buildClients(again);
    expect(archives()).toHaveLength(2);
    for (const name of archives()) {
      expect(readFileSync(join(again, name)).equals(readFileSync(join(folder, name)))).toBe(true);
    }
  });
});
