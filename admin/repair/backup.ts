// The backup of a repair, to which each document is appended as a line of JSON before it is changed, and the command
// that restores it.

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { parseJson } from '../frame/input.ts';
import { note, print } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal, formatAmount, formatCount } from '../terminal/table.ts';
import { type Documents, openDocuments, type StoredFields, storedFields } from './documents.ts';

const saved = z.strictObject({
  /** The Firebase project, so that a document is restored to its own project. */
  project: z.string(),
  document: z.string().regex(/^attestations\/[^/]+$/),
  change: z.enum(['confirm', 'delete']),
  /** All fields of the document before the change. */
  fields: storedFields,
});

/** A document before a repair changed it. */
type Saved = z.infer<typeof saved>;

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
async function readBackup(path: string): Promise<Saved[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw usageFailure(`The backup could not be read: ${reasonOf(cause)}.`, cause);
  });
  // The text after the last line end is empty or a truncated line.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line, index) => {
    const parsed = saved.safeParse(parseJson(line));
    if (parsed.success) return parsed.data;
    throw usageFailure(
      `Line ${index + 1} of ${path} was not written by a repair. Nothing was changed. ` +
        'Name the file that `attestations repair --apply` wrote.',
    );
  });
}

const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);

/**
 * Restores the documents that a repair has changed, or only prints what it would restore.
 *
 * @param confirm called before documents are written; undefined to write nothing
 * @returns the exit status: 1 if documents were not restored, or would be restored
 * @throws Failure when the file is not the backup of a repair of this project
 */
export async function runRestore(
  target: Pick<Target, 'project' | 'emulator'>,
  file: string,
  confirm?: ChangeTarget['confirm'],
): Promise<number> {
  const lines = await readBackup(file);
  const other = lines.find((line) => line.project !== target.project);
  if (other) {
    throw usageFailure(
      `${file} belongs to the Firebase project ${escapeForTerminal(other.project)}. Name that one with --firebase-project.`,
    );
  }
  await confirm?.(`Restore ${formatAmount(lines.length, 'document')} from ${file}`);
  const documents = openDocuments(target);
  const counts = { restored: 0, unchanged: 0, skipped: 0 };
  // In reverse order, because the first line of a repeated document has its oldest state.
  for (const line of lines.toReversed()) {
    const outcome = await restoreDocument(documents, line, confirm !== undefined);
    counts[outcome] += 1;
    const word = outcome === 'restored' && !confirm ? 'restore' : outcome;
    const because =
      outcome === 'skipped' ? '  it has been changed since, and the newer change is kept' : '';
    await print(`${word.padEnd(9)}  ${escapeForTerminal(line.document)}${because}\n`);
  }
  note(
    `${confirm ? 'Restored' : 'Would be restored'}: ${formatCount(counts.restored)}; ` +
      `unchanged: ${formatCount(counts.unchanged)}; skipped: ${formatCount(counts.skipped)}.` +
      (confirm || counts.restored === 0
        ? ''
        : ' Nothing was changed. Add --apply to restore them.'),
  );
  return counts.skipped > 0 || (!confirm && counts.restored > 0) ? 1 : 0;
}

/** Restores one document. @param apply false to only report what it would do */
async function restoreDocument(
  documents: Documents,
  { document: path, change, fields }: Saved,
  apply: boolean,
): Promise<'restored' | 'unchanged' | 'skipped'> {
  const present = await documents.read(path);
  if (isDeepStrictEqual(present?.fields, fields)) return 'unchanged';
  const isAsRepaired =
    change === 'delete' ? !present : isDeepStrictEqual(present?.fields, confirmed(fields));
  if (!isAsRepaired) return 'skipped';
  if (!apply) return 'restored';
  const { status = {} } = fields;
  const isRestored = await documents.commit([
    present ? { update: present, only: { status } } : { create: path, fields },
  ]);
  return isRestored ? 'restored' : 'skipped';
}

/** The fields of a document after a repair has confirmed it. */
const confirmed = (fields: StoredFields): StoredFields => ({
  ...fields,
  status: { stringValue: 'confirmed' },
});
