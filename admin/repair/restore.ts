// Restores documents from the backup of a repair, unless they have changed since the repair.

import { isDeepStrictEqual } from 'node:util';
import { note, print } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal, formatAmount, formatCount } from '../terminal/table.ts';
import { readBackup, type Saved } from './backup.ts';
import { type Documents, openDocuments, type StoredFields } from './documents.ts';

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
      `${file} belongs to the project ${escapeForTerminal(other.project)}. Name that project with --firebase-project.`,
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
