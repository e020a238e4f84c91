// Lists the files that a deployment uploads, by firebase-tools itself with the list in firebase.json.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';

interface FirebaseFiles {
  /** Lists the files to pack, as firebase-tools does in its `prepareFunctionsUpload`. */
  readdirRecursive(options: {
    readonly path: string;
    readonly ignoreStrings: readonly string[];
  }): Promise<{ readonly name: string }[]>;
}

const { readdirRecursive }: FirebaseFiles = createRequire(import.meta.url)(
  'firebase-tools/lib/fsAsync.js',
);

/** @returns the paths, relative to the folder, in order */
export async function uploadedFrom(folder: string): Promise<string[]> {
  const config = readFileSync(new URL('../../firebase.json', import.meta.url), 'utf8');
  const ignoreStrings: readonly string[] = JSON.parse(config).functions[0].ignore;
  const files = await readdirRecursive({ path: folder, ignoreStrings });
  return files.map(({ name }) => relative(folder, name)).sort();
}
