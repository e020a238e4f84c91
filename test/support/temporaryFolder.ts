// Creates a folder for the tests of a file, and removes it after them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'poh-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
