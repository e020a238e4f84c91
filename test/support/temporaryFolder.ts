// Creates a folder for the tests of a file.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'poh-test-'));
