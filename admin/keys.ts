// The group `keys`: create, list, rotate and revoke API keys (specification, 2.5 and 5).

import type { Command } from 'commander';
import { hashApiKey, keyId } from '../records/apiKey.ts';
import { API_KEY_PATTERN } from '../records/apiKeyText.ts';
import { PROJECT_RULE, parseProject } from '../records/project.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { readAdminNames } from './adminRecords.ts';
import { readKey, readKeys, writeKeyRevocation, writeNewKey } from './keyRecords.ts';
import { isoTime, minute, note, printJson, printSecret, printTable } from './output.ts';
import { type ChangeTarget, openTarget, openToChange, type Target } from './target.ts';

const ID = /^[0-9a-f]{12,64}$/;

export function addKeysGroup(program: Command): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys');

  keys
    .command('create')
    .description('make a key and print it, this once, alone on standard output')
    .requiredOption('--project <name>', 'whom the key is issued to, as in "Acme DAO"')
    .action(async (options: { project: string }, command: Command) => {
      const project = requireProject(options.project);
      await using target = await openToChange(command);
      await target.confirm(`Create a key for "${project}"`);
      await create(target, project);
    });

  keys
    .command('list')
    .description('list all keys: of a key itself no more than its last characters is known')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      await using target = await openTarget(command);
      await list(target, options.json === true);
    });

  keys
    .command('rotate')
    .description('make a second key for the project of a key, which stays active until revoked')
    .argument('<id>', 'the id that `keys list` shows')
    .action(async (text: string, _options: object, command: Command) => {
      const id = parseId(text);
      await using target = await openToChange(command);
      const old = await readKey(target.db, id);
      if (!old.active) throw new Failure(`The key ${id} is revoked: use \`keys create\` instead.`);
      if (!old.project) throw new Failure(`The key ${id} names no project: use \`keys create\`.`);
      await target.confirm(`Create another key for "${old.project}"`);
      await create(target, old.project);
      note(
        `The old key ${id} stays active. Once "${old.project}" uses the new one, revoke it with:\n` +
          `  ${target.commandLine(`keys revoke ${id}`)}`,
      );
    });

  keys
    .command('revoke')
    .description('revoke a key: not one more request is let in by it')
    .argument('<id>', 'the id that `keys list` shows')
    .action(async (text: string, _options: object, command: Command) => {
      const id = parseId(text);
      await using target = await openToChange(command);
      const { project = 'no project', active } = await readKey(target.db, id);
      if (active) await target.confirm(`Revoke the key ${id} of "${project}"`);
      await revoke(target, id);
    });
}

function requireProject(text: string): string {
  const project = parseProject(text);
  if (project === undefined) throw usageFailure(PROJECT_RULE);
  return project;
}

/** The text is told in no failure: it may be a key, pasted in place of its id. */
function parseId(text: string): string {
  if (ID.test(text)) return text;
  const key = API_KEY_PATTERN.exec(text)?.[0];
  throw usageFailure(
    key
      ? `That is a key itself; its id is ${keyId(hashApiKey(key))}.`
      : 'An id is 12 or more hex digits in lower case, as `keys list` shows it.',
  );
}

async function create(target: ChangeTarget, project: string): Promise<void> {
  const { key, id } = await writeNewKey(target.db, project, target.actor);
  note(`Key ${id} for "${project}" is active. It is shown this once: keep it in a secret manager.`);
  try {
    await printSecret(key);
  } catch (cause) {
    const undo = target.commandLine(`keys revoke ${id}`);
    throw new Failure(
      `The key ${id} could not be printed and is lost: revoke it with \`${undo}\`.`,
      {
        cause,
      },
    );
  }
}

async function list(target: Target, asJson: boolean): Promise<void> {
  const { keys, misfits } = await readKeys(target.db);
  if (asJson) {
    await printJson(
      keys.map(
        ({
          id,
          project = null,
          hint = null,
          active,
          createdBy = null,
          revokedBy = null,
          createdAt,
          revokedAt,
        }) => ({
          id,
          project,
          hint,
          active,
          createdAt: isoTime(createdAt),
          createdBy,
          revokedAt: isoTime(revokedAt),
          revokedBy,
        }),
      ),
    );
  } else if (keys.length === 0) note('There are no keys.');
  else {
    const nameOf = await readAdminNames(target.db);
    await printTable(
      [
        'ID',
        'PROJECT',
        'HINT',
        'ACTIVE',
        'CREATED (UTC)',
        'CREATED BY',
        'REVOKED (UTC)',
        'REVOKED BY',
      ],
      keys.map((key) => [
        key.id,
        key.project,
        key.hint && `…${key.hint}`,
        key.active ? 'yes' : 'no',
        minute(key.createdAt),
        nameOf(key.createdBy),
        minute(key.revokedAt),
        nameOf(key.revokedBy),
      ]),
    );
  }
  if (misfits > 0) {
    note(`Left out: ${misfits} in the collection apiKeys under an id that is not a SHA-256 hash.`);
  }
}

async function revoke(target: ChangeTarget, id: string): Promise<void> {
  const { active, revokedAt } = await writeKeyRevocation(target.db, id, target.actor);
  const since = minute(revokedAt);
  note(
    active
      ? `Key ${id} is revoked: not one more request is let in by it.`
      : `Key ${id} was revoked already${since ? `, at ${since} UTC` : ''}: nothing was changed.`,
  );
}
