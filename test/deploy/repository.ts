// Reads the files of the repository.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const textOf = (file: string): string => readFileSync(ROOT + file, 'utf8');
export const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: ROOT }).sort();
