// The file that a repair writes each document to before it changes it: a line of JSON for each.

import { type FileHandle, open, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { Failure } from '../../terminal/failure.ts';
import { storedFields } from './exactDocuments.ts';

const saved = z.strictObject({
  /** Of Firebase: a document goes back to where it was. */
  project: z.string(),
  document: z.string().regex(/^attestations\/[^/]+$/),
  change: z.enum(['confirm', 'delete']),
  /** As the document was, all of it. */
  fields: storedFields,
});

/** A document as it was before a repair changed it. */
export type Saved = z.infer<typeof saved>;

/** Readable by its owner only: it shows which wallet holds which attestation. */
const OWNER_ONLY = 0o600;

/** A document could not be saved, so it was not changed either. */
export class BackupError extends Error {
  override readonly name = 'BackupError';

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The backup could not be written: ${reason}. Name a new file with --backup.`, { cause });
  }
}

export interface BackupFile extends AsyncDisposable {
  /** Resolves once the line is on the disk, so that nothing is changed that is not saved. */
  readonly save: (line: Saved) => Promise<void>;
}

/** Creates the file with the first line, and never overwrites an existing one. */
export function backupFile(path: string): BackupFile {
  let file: FileHandle | undefined;
  return {
    async save(line) {
      try {
        file ??= await open(path, 'ax', OWNER_ONLY);
        await file.appendFile(`${JSON.stringify(line)}\n`);
        await file.datasync();
      } catch (cause) {
        throw new BackupError(cause);
      }
    },
    async [Symbol.asyncDispose]() {
      await file?.close();
    },
  };
}

/**
 * Reads a backup. A last line that was cut off is left out: what it would have saved was not changed.
 *
 * @throws Failure when a line is not one of a repair
 */
export async function readBackup(path: string): Promise<Saved[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Failure(`The backup could not be read: ${reason}.`, { cause });
  });
  const lines = text.split('\n');
  // After the last line end there is nothing, or what was cut off.
  lines.pop();
  return lines.map((line, index) => {
    const parsed = saved.safeParse(parseJson(line));
    if (parsed.success) return parsed.data;
    throw new Failure(
      `Line ${index + 1} of ${path} is not one of a repair: nothing was changed. ` +
        'Name the file that `attestations repair --apply` wrote.',
    );
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
