// The command `keys revoke-again`. A restore of the database brings back older records, so keys that
// were revoked in the meantime are active again. This command revokes them.

import type { Command } from 'commander';
import * as z from 'zod';
import { parseJson, readInput } from '../frame/input.ts';
import { note, printTable } from '../frame/output.ts';
import { type ChangeTarget, openToChange } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { formatAmount, formatCount } from '../terminal/table.ts';
import { ID } from './parseId.ts';
import { type ListedKey, readKeys, writeKeyRevocation } from './records.ts';

/** The fields of the output of `keys list --json` that are used. */
const savedList = z.array(z.object({ id: z.string().regex(ID), active: z.boolean() }));

/** The keys in a file, by ids of 12 or more hex digits. */
interface Saved {
  readonly revoked: readonly string[];
  readonly active: readonly string[];
}

export function addRevokeAgainCommand(keys: Command): void {
  keys
    .command('revoke-again')
    .description('after a restore, revoke the keys that a saved list shows as revoked')
    .requiredOption(
      '--from <file>',
      'the output of `keys list --json`, or ids to revoke, one on each line',
    )
    .action(async ({ from }: { from: string }, command: Command) => {
      const text = readInput(from, 'Check its name and permissions.').toString('utf8');
      const saved = parseSaved(text, from);
      await using target = await openToChange(command);
      await revokeAgain(target, saved);
    });
}

async function revokeAgain(target: ChangeTarget, saved: Saved): Promise<void> {
  const { keys } = await readKeys(target.db);
  // An id in a file may have more digits than a listed id.
  const namedIn = (ids: readonly string[], listed: string) =>
    ids.some((id) => id.startsWith(listed));
  const reactivated = keys.filter(({ id, active }) => active && namedIn(saved.revoked, id));
  noteMissingKeys(saved.active.filter((id) => !keys.some((key) => id.startsWith(key.id))));
  const count = formatCount(saved.revoked.length);
  if (reactivated.length === 0) {
    note(`None of the ${count} revoked keys in the file is active. Nothing was changed.`);
    return;
  }
  await printTable(['ID', 'PROJECT', 'HINT'], reactivated.map(row));
  note(`Active again: ${reactivated.length} of the ${count} revoked keys in the file.`);
  await target.confirm(`Revoke ${formatAmount(reactivated.length, 'key')} again`);
  for (const { id } of reactivated) await writeKeyRevocation(target.db, id, target.actor);
  note(`Revoked again: ${reactivated.length}. Later requests with these keys are refused.`);
}

const row = ({ id, project, hint }: ListedKey) => [id, project, hint && `…${hint}`];

/** Names the keys that no longer have a record, because they were created after the restored state. */
function noteMissingKeys(ids: readonly string[]): void {
  if (ids.length === 0) return;
  note(
    `Active in the file, but without a record now: ${ids.join(', ')}. ` +
      'Requests with these keys are refused. Replace each with `keys create`.',
  );
}

/** @throws Failure when the text is in neither form, because an incomplete list would leave keys active */
function parseSaved(text: string, file: string): Saved {
  if (!text.trimStart().startsWith('[')) {
    const revoked = text.split('\n').flatMap((line) => line.trim() || []);
    if (revoked.length > 0 && revoked.every((id) => ID.test(id))) return { revoked, active: [] };
  } else {
    const list = savedList.safeParse(parseJson(text));
    if (list.success) {
      const idsOf = (wanted: boolean) =>
        list.data.flatMap(({ id, active }) => (active === wanted ? [id] : []));
      return { revoked: idsOf(false), active: idsOf(true) };
    }
  }
  throw usageFailure(
    `${file} is neither the complete output of \`keys list --json\` nor a list of ids of 12 hex digits, one on each line.`,
  );
}
