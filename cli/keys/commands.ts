// The group `keys`: create, list, rotate and revoke API keys (specification, 2.5 and 5).

import type { Command } from 'commander';
import { hashApiKey, keyId, parseKeyHash } from '../../records/apiKey.ts';
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { CONTACT_RULE, comparable, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { isoTime, minuteOf, note, printJson, printSecret, printTable } from '../frame/output.ts';
import { openTarget, type Target } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import {
  createKey,
  type ListedKey,
  readKey,
  readKeys,
  writeKeyRevocation,
  writeNewKey,
} from './records.ts';

export function addKeysGroup(program: Command): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys');

  keys
    .command('create')
    .description('create a key and print it on standard output; it is shown only once')
    .requiredOption(
      '--project <name>',
      'the project that gets the key, for example "Acme DAO"',
      nameBy(PROJECT_RULE),
    )
    .option('--contact <text>', 'the person to write to if the key leaks', nameBy(CONTACT_RULE))
    .action(async (options: { project: string; contact?: string }, command: Command) => {
      const { project, contact } = options;
      await using target = await openTarget(command);
      await create(target, project, { ...(contact && { contact }) });
    });

  keys
    .command('list')
    .description('list the keys; only the hash and the last characters of a key are stored')
    .option('--project <name>', 'only the keys of this project (case-insensitive)')
    .option('--active', 'only active keys')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions, command: Command) => {
      await using target = await openTarget(command);
      await listKeys(target, options);
    });

  keys
    .command('rotate')
    .description("create a second key for a key's project; the old key stays active until revoked")
    .argument(...ID)
    .action(async (id: string, _options: object, command: Command) => {
      await using target = await openTarget(command);
      const old = await readKey(target.db, id);
      if (!old.active || !old.project) {
        const why = old.active ? 'has no project' : 'is revoked';
        throw new Failure(`The key ${id} ${why}. Use \`keys create\` instead.`);
      }
      const { contact, hash: rotates } = old;
      await create(target, old.project, { ...(contact && { contact }), rotates });
      note(
        `The old key ${id} stays active. Once ${quoted(old.project)} uses the new key, revoke the old one with:\n` +
          `  ${target.commandLine(`keys revoke ${id}`)}\n` +
          'The last lookups with the old key, if any:\n' +
          `  ${lookupsCommand(old.id, target.project)}`,
      );
    });

  keys
    .command('revoke')
    .description('revoke a key; later requests with it are refused')
    .argument(...ID)
    .action(async (id: string, _options: object, command: Command) => {
      await using target = await openTarget(command);
      const { project, hint, hash, active, revokedAt } = await readKey(target.db, id);
      const since = minuteOf(isoTime(revokedAt));
      if (!active) {
        return note(
          `Key ${id} was already revoked${since ? `, at ${since} UTC` : ''}. Nothing was changed.`,
        );
      }
      const whose = project === undefined ? 'an unknown project' : quoted(project);
      const end = hint === undefined ? '' : ` that ends in ${escapeForTerminal(hint)}`;
      await target.change(`Revoke the key ${id}${end} of ${whose}`, ({ db, actor }) =>
        writeKeyRevocation(db, hash, actor),
      );
      note(`Key ${id} is revoked. Later requests with it are refused.`);
    });
}

/** Escapes a name, because control characters in a name could change what a prompt shows. */
const quoted = (project: string): string => `"${escapeForTerminal(project)}"`;

/** The first 12 or more digits of a key's hash. */
const ID = ['<id>', 'the id that `keys list` shows', parseId] as const;
const ID_FORM = /^[0-9a-f]{12,64}$/;

/** @throws Failure that does not repeat the text, which may be a key pasted by mistake */
function parseId(text: string): string {
  if (ID_FORM.test(text)) return text;
  const key = API_KEY_PATTERN.exec(text)?.[0];
  throw usageFailure(
    key
      ? `That is the key itself. Its id is ${keyId(hashApiKey(key))}.`
      : 'An id is 12 or more hex digits in lower case, as `keys list` shows it.',
  );
}

/** The command that shows the last lookups with a key, as docs/administration.md gives it. */
const lookupsCommand = (id: string, project: string): string =>
  `gcloud logging read 'jsonPayload.message="lookup" AND jsonPayload.keyId="${id}"' --project ${project} ` +
  "--freshness 30d --limit 10 --format 'table(timestamp,jsonPayload.mode,jsonPayload.code)'";

function nameBy(rule: string): (text: string) => string {
  return (text) => {
    const name = parseProject(text);
    if (name === undefined) throw usageFailure(rule);
    return name;
  };
}

async function create(
  target: Target,
  project: string,
  details: { contact?: string; rotates?: string },
): Promise<void> {
  const made = createKey();
  const { key, id } = made;
  const undo = target.commandLine(`keys revoke ${id}`);
  await target.change(
    `Create the key ${id} for ${quoted(project)}`,
    ({ db, actor }) => writeNewKey(db, made, project, actor, details),
    `Nobody has this key. Revoke it with \`${undo}\`, and create another one.`,
  );
  note(
    `Key ${id} for ${quoted(project)} is active. It is shown only once. Keep it in a secret manager.`,
  );
  try {
    await printSecret(key);
  } catch (cause) {
    throw new Failure(
      `The key ${id} could not be printed and is lost. Revoke it with \`${undo}\`.`,
      { cause },
    );
  }
}

interface ListOptions {
  /** The project whose keys are listed; undefined for all keys. */
  readonly project?: string;
  readonly active?: boolean;
  readonly json?: boolean;
}

const HEADING = ['ID', 'HINT', 'CREATED', 'STATE', 'PROJECT (CONTACT)'];
async function listKeys({ db }: Target, { project, active, json }: ListOptions): Promise<void> {
  const { keys, invalidIds } = await readKeys(db);
  const rows = keys
    .filter((key) => !active || key.active)
    .filter((key) => project === undefined || comparable(key.project ?? '') === comparable(project))
    .map(rowOf);
  if (json) await printJson(rows);
  else if (rows.length === 0) {
    const isEmpty = keys.length === 0;
    note(isEmpty ? 'There are no keys.' : 'No key matches. `keys list` shows all keys.');
  } else await printTable(HEADING, rows.map(cellsOf));
  if (invalidIds.length > 0) {
    // Only the ends, because somebody may have stored a key in place of its hash.
    const ends = invalidIds.slice(0, 10).map((id) => JSON.stringify(`…${id.slice(-4)}`));
    note(
      `No key can match ${invalidIds.length} of the records in apiKeys, because their id is not a SHA-256 hash. ` +
        `The ids end in ${ends.join(', ')}. If one of them is a key, revoke it, and delete the record.`,
    );
  }
}

/** A key as `--json` prints it. */
const rowOf = (key: ListedKey) => {
  const rotated = parseKeyHash(key.rotates ?? '');
  return {
    id: key.id,
    project: key.project ?? null,
    contact: key.contact ?? null,
    hint: key.hint ?? null,
    active: key.active,
    /** The id of the key that this one replaces. */
    rotates: rotated ? keyId(rotated) : null,
    createdAt: isoTime(key.createdAt),
    createdBy: key.createdBy ?? null,
    revokedAt: isoTime(key.revokedAt),
    revokedBy: key.revokedBy ?? null,
  };
};
type Row = ReturnType<typeof rowOf>;

const shownHint = ({ hint }: Row): string | null => hint && `…${hint}`;

function cellsOf(row: Row): (string | null | undefined)[] {
  const revoked = row.revokedAt ? `revoked ${row.revokedAt.slice(0, 10)}` : 'inactive';
  const contact = row.contact === null ? '' : ` (${row.contact})`;
  return [
    row.id,
    shownHint(row),
    row.createdAt?.slice(0, 10),
    row.active ? 'active' : revoked,
    row.project && row.project + contact,
  ];
}
