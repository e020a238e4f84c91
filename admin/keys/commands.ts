// The group `keys`: create, list, rotate and revoke API keys (specification, 2.5 and 5).

import type { Command } from 'commander';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { isoTime, minuteOf, note, printSecret } from '../frame/output.ts';
import { type ChangeTarget, openTarget, openToChange } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { type ListOptions, listKeys } from './list.ts';
import { createKey, readKey, writeKeyRevocation, writeNewKey } from './records.ts';

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
      await using target = await openToChange(command);
      await create(target, project, { ...(contact && { contact }) });
    });

  keys
    .command('list')
    .description('list the keys; only the last characters of a key are stored')
    .option('--project <name>', 'only the keys of this project (case-insensitive)')
    .option('--active', 'only active keys')
    .option('--long', 'also show who created and revoked each key and when, and what it replaces')
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
      await using target = await openToChange(command);
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
      await using target = await openToChange(command);
      const { project, hint, active } = await readKey(target.db, id);
      const whose = project === undefined ? 'an unknown project' : quoted(project);
      const end = hint === undefined ? '' : ` that ends in ${escapeForTerminal(hint)}`;
      const before = await target.change(
        `Revoke the key ${id}${end} of ${whose}`,
        () => writeKeyRevocation(target.db, id, target.actor),
        { asks: active },
      );
      const since = minuteOf(isoTime(before.revokedAt));
      note(
        before.active
          ? `Key ${id} is revoked. Later requests with it are refused.`
          : `Key ${id} was already revoked${since ? `, at ${since} UTC` : ''}. Nothing was changed.`,
      );
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
  target: ChangeTarget,
  project: string,
  details: { contact?: string; rotates?: string },
): Promise<void> {
  const made = createKey();
  const { key, id } = made;
  const undo = target.commandLine(`keys revoke ${id}`);
  await target.change(
    `Create the key ${id} for ${quoted(project)}`,
    () => writeNewKey(target.db, made, project, target.actor, details),
    { next: `Nobody has this key. Revoke it with \`${undo}\`, and create another one.` },
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
