// The command `keys revoke-again`: after a restore of the database, whose older records admit keys that
// were revoked since.

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import * as z from 'zod';
import { Failure, usageFailure } from '../../terminal/failure.ts';
import { formatCount } from '../../terminal/table.ts';
import { note, printTable } from '../frame/output.ts';
import { type ChangeTarget, openToChange } from '../frame/target.ts';
import { ID } from './parseId.ts';
import { type ListedKey, readKeys, writeKeyRevocation } from './records.ts';

/** What `keys list --json` prints, as far as it is needed. */
const savedList = z.array(z.object({ id: z.string().regex(ID), active: z.boolean() }));

/** What a file says of keys: ids of 12 hex digits or more. */
interface Saved {
  readonly revoked: readonly string[];
  readonly active: readonly string[];
}

export function addRevokeAgainCommand(keys: Command): void {
  keys
    .command('revoke-again')
    .description('after a restore: revoke the keys that were revoked already when a list was saved')
    .requiredOption(
      '--from <file>',
      'what `keys list --json` printed, or ids to revoke, one a line',
    )
    .action(async ({ from }: { from: string }, command: Command) => {
      const saved = parseSaved(await readSaved(from), from);
      await using target = await openToChange(command);
      await revokeAgain(target, saved);
    });
}

async function revokeAgain(target: ChangeTarget, saved: Saved): Promise<void> {
  const { keys } = await readKeys(target.db);
  // An id in a file may have more digits than a listed one.
  const namedIn = (ids: readonly string[], listed: string) =>
    ids.some((id) => id.startsWith(listed));
  const back = keys.filter(({ id, active }) => active && namedIn(saved.revoked, id));
  tellLost(saved.active.filter((id) => !keys.some((key) => id.startsWith(key.id))));
  const count = formatCount(saved.revoked.length);
  if (back.length === 0) {
    note(`None of the ${count} revoked keys in the file is active: nothing was changed.`);
    return;
  }
  await printTable(['ID', 'PROJECT', 'HINT'], back.map(row));
  note(`Active again: ${back.length} of the ${count} revoked keys in the file.`);
  await target.confirm(`Revoke ${back.length} keys again`);
  for (const { id } of back) await writeKeyRevocation(target.db, id, target.actor);
  note(`Revoked again: ${back.length}. No further request is admitted with them.`);
}

const row = ({ id, project, hint }: ListedKey) => [id, project, hint && `…${hint}`];

/** Keys that were made after what was restored: requests with them are refused. */
function tellLost(ids: readonly string[]): void {
  if (ids.length === 0) return;
  note(
    `Active in the file, and without a record now: ${ids.join(', ')}. ` +
      'Their projects are refused: make each a new key with `keys create`.',
  );
}

async function readSaved(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Failure(`The file ${file} cannot be read: check the name and its permissions.`, {
      cause,
    });
  }
}

/** @throws Failure when it is neither form: half a list would leave keys admitted */
function parseSaved(text: string, file: string): Saved {
  if (!text.trimStart().startsWith('[')) {
    const revoked = text.split('\n').flatMap((line) => line.trim() || []);
    if (revoked.length > 0 && revoked.every((id) => ID.test(id))) return { revoked, active: [] };
  } else {
    const list = savedList.safeParse(jsonOf(text));
    if (list.success) {
      const idsOf = (wanted: boolean) =>
        list.data.flatMap(({ id, active }) => (active === wanted ? [id] : []));
      return { revoked: idsOf(false), active: idsOf(true) };
    }
  }
  throw usageFailure(
    `${file} is neither what \`keys list --json\` printed, whole, nor ids of 12 hex digits, one a line.`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
