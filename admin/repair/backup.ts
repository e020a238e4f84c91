// The backup of a repair: each document is appended as a line of JSON before it is changed.

import { type FileHandle, open, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { parseJson } from '../frame/input.ts';
import { Failure } from '../terminal/failure.ts';
import { storedFields } from './documents.ts';

const saved = z.strictObject({
  /** The Firebase project, so that a document is restored to its own project. */
  project: z.string(),
  document: z.string().regex(/^attestations\/[^/]+$/),
  change: z.enum(['confirm', 'delete']),
  /** All fields of the document before the change. */
  fields: storedFields,
});

/** A document before a repair changed it. */
export type Saved = z.infer<typeof saved>;

/** Readable only by its owner, because it shows which wallet holds which attestation. */
const OWNER_ONLY = 0o600;

export interface BackupFile extends AsyncDisposable {
  /** Resolves once the line is on the disk, so that no unsaved document is changed. */
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
        const message = `The backup could not be written: ${reasonOf(cause)}. Name a new file with --backup.`;
        throw new Failure(message, { code: 'backup', cause });
      }
    },
    async [Symbol.asyncDispose]() {
      await file?.close();
    },
  };
}

/**
 * Reads a backup. A truncated last line is ignored, because its document was not changed.
 *
 * @throws Failure when a line was not written by a repair
 */
export async function readBackup(path: string): Promise<Saved[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Failure(`The backup could not be read: ${reasonOf(cause)}.`, { cause });
  });
  // The text after the last line end is empty or a truncated line.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line, index) => {
    const parsed = saved.safeParse(parseJson(line));
    if (parsed.success) return parsed.data;
    throw new Failure(
      `Line ${index + 1} of ${path} was not written by a repair. Nothing was changed. ` +
        'Name the file that `attestations repair --apply` wrote.',
    );
  });
}

const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);
