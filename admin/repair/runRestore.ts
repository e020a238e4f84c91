// Runs a restoration from a terminal: what it puts back, and what it leaves.

import { escapeForTerminal } from '../../terminal/escape.ts';
import { usageFailure } from '../../terminal/failure.ts';
import { formatCount } from '../../terminal/table.ts';
import { note, print } from '../frame/output.ts';
import type { ChangeTarget, Target } from '../frame/target.ts';
import { readBackup } from './backup.ts';
import { restoreDocument } from './restore.ts';

/**
 * Puts back what a repair has changed, or only prints what it would put back.
 *
 * @param confirm called before documents are written; without it, none is
 * @returns the exit status: 1 when documents were left, or would be put back
 * @throws Failure when the file is not one of a repair of this project
 */
export async function runRestore(
  { db, project }: Target,
  file: string,
  confirm?: ChangeTarget['confirm'],
): Promise<number> {
  const lines = await readBackup(file);
  const other = lines.find((line) => line.project !== project);
  if (other) {
    throw usageFailure(
      `${file} is of the project ${escapeForTerminal(other.project)}: name it with --firebase-project.`,
    );
  }
  await confirm?.(`Put back ${formatCount(lines.length)} documents from ${file}`);
  const counts = { restored: 0, unchanged: 0, left: 0 };
  // Backwards: were a document in it twice, the first line has its oldest state.
  for (const line of lines.toReversed()) {
    const outcome = await restoreDocument(db, line, confirm !== undefined);
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
