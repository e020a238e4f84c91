// Puts documents back from the file of a repair, as far as they are still as the repair left them.

import { isDeepStrictEqual } from 'node:util';
import { escapeForTerminal } from '../../terminal/escape.ts';
import { usageFailure } from '../../terminal/failure.ts';
import { formatCount } from '../../terminal/table.ts';
import { note, print } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { readBackup, type Saved } from './backup.ts';
import { type ExactDocuments, exactDocuments, type StoredFields } from './exactDocuments.ts';

/** The outcome of a line: restored, unchanged, or left for a reason. */
type Restoration = { readonly done: 'restored' | 'unchanged' } | { readonly left: string };

const NEWER = 'it was written since, and the newer write stays';

/**
 * Puts back what a repair has changed, or only prints what it would put back.
 *
 * @param confirm called before documents are written; without it, none is
 * @returns the exit status: 1 when documents were left, or would be put back
 * @throws Failure when the file is not one of a repair of this project
 */
export async function runRestore(
  target: Target,
  file: string,
  confirm?: ChangeTarget['confirm'],
): Promise<number> {
  const lines = await readBackup(file);
  const other = lines.find((line) => line.project !== target.project);
  if (other) {
    throw usageFailure(
      `${file} is of the project ${escapeForTerminal(other.project)}: name it with --firebase-project.`,
    );
  }
  await confirm?.(`Put back ${formatCount(lines.length)} documents from ${file}`);
  const documents = exactDocuments(target);
  const counts = { restored: 0, unchanged: 0, left: 0 };
  // Backwards: were a document in it twice, the first line has its oldest state.
  for (const line of lines.toReversed()) {
    const outcome = await restoreDocument(documents, line, confirm !== undefined);
    const done = { restored: confirm ? 'restored' : 'restore', unchanged: 'unchanged' };
    const [word, because] = 'left' in outcome ? ['left', outcome.left] : [done[outcome.done], ''];
    counts['left' in outcome ? 'left' : outcome.done] += 1;
    await print(
      `${word.padEnd(9)}  ${escapeForTerminal(line.document)}${because && `  ${because}`}\n`,
    );
  }
  note(
    `${confirm ? 'Put back' : 'Would be put back'}: ${formatCount(counts.restored)}; ` +
      `as they were: ${formatCount(counts.unchanged)}; left: ${formatCount(counts.left)}.` +
      (confirm || counts.restored === 0 ? '' : ' Nothing was changed: add --apply.'),
  );
  return counts.left > 0 || (!confirm && counts.restored > 0) ? 1 : 0;
}

/**
 * Restores one document, or only says what it would do.
 *
 * @param apply false: nothing is written
 */
async function restoreDocument(
  documents: ExactDocuments,
  { document: path, change, fields }: Saved,
  apply: boolean,
): Promise<Restoration> {
  const present = await documents.read(path);
  if (isDeepStrictEqual(present?.fields, fields)) return { done: 'unchanged' };
  const isAsLeft =
    change === 'delete' ? !present : isDeepStrictEqual(present?.fields, confirmed(fields));
  if (!isAsLeft) return { left: NEWER };
  if (!apply) return { done: 'restored' };
  const { status = {} } = fields;
  const isRestored = present
    ? await documents.update(path, { status }, present.updateTime)
    : await documents.create(path, fields);
  return isRestored ? { done: 'restored' } : { left: NEWER };
}

/** The fields as a repair leaves a document that it confirms. */
const confirmed = (fields: StoredFields): StoredFields => ({
  ...fields,
  status: { stringValue: 'confirmed' },
});
