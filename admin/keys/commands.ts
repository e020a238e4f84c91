// The group `keys`: create, list, rotate and revoke API keys (specification, 2.5 and 5).

import type { Command } from 'commander';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { escapeForTerminal } from '../../terminal/escape.ts';
import { Failure, usageFailure } from '../../terminal/failure.ts';
import { minute, note, printSecret } from '../frame/output.ts';
import { type ChangeTarget, openTarget, openToChange } from '../frame/target.ts';
import { type ListOptions, listKeys } from './list.ts';
import { parseId } from './parseId.ts';
import { readKey, writeKeyRevocation, writeNewKey } from './records.ts';
import { addRevokeAgainCommand } from './revokeAgain.ts';
import { addUsageCommand } from './usage.ts';

export function addKeysGroup(program: Command): void {
  const keys = program
    .command('keys')
    .description('create, list, rotate and revoke API keys, and see their use');

  keys
    .command('create')
    .description('make a key and print it, this once, alone on standard output')
    .requiredOption('--project <name>', 'whom the key is issued to, as in "Acme DAO"')
    .option('--contact <text>', 'whom to write to when the key leaks')
    .action(async (options: { project: string; contact?: string }, command: Command) => {
      const project = requireName(options.project, PROJECT_RULE);
      const { contact: typed } = options;
      const contact = typed === undefined ? undefined : requireName(typed, CONTACT_RULE);
      await using target = await openToChange(command);
      await target.confirm(`Create a key for ${shown(project)}`);
      await create(target, project, { ...(contact && { contact }) });
    });

  keys
    .command('list')
    .description('list the keys; of a key itself only the last characters are stored')
    .option('--project <name>', 'only the keys of this project, in whatever case it is written')
    .option('--active', 'only the keys that are active')
    .option('--long', 'also who made and revoked each, which key it replaces, and the contact')
    .option('--json', 'print JSON')
    .action(async (options: ListOptions, command: Command) => {
      await using target = await openTarget(command);
      await listKeys(target, options);
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
      await target.confirm(`Create another key for ${shown(old.project)}`);
      const { contact, hash: rotates } = old;
      await create(target, old.project, { ...(contact && { contact }), rotates });
      note(
        `The old key ${id} stays active. Once ${shown(old.project)} uses the new one, revoke it with:\n` +
          `  ${target.commandLine(`keys revoke ${id}`)}`,
      );
    });

  keys
    .command('revoke')
    .description('revoke a key: no further request is admitted with it')
    .argument('<id>', 'the id that `keys list` shows')
    .action(async (text: string, _options: object, command: Command) => {
      const id = parseId(text);
      await using target = await openToChange(command);
      const { project, active } = await readKey(target.db, id);
      const whose = project === undefined ? 'no project' : shown(project);
      if (active) await target.confirm(`Revoke the key ${id} of ${whose}`);
      await revoke(target, id);
    });

  addRevokeAgainCommand(keys);
  addUsageCommand(keys);
}

/** A name may have been stored by hand, with characters that make a prompt show another key. */
const shown = (project: string): string => `"${escapeForTerminal(project)}"`;

function requireName(text: string, rule: string): string {
  const name = parseProject(text);
  if (name === undefined) throw usageFailure(rule);
  return name;
}

async function create(
  target: ChangeTarget,
  project: string,
  details: { contact?: string; rotates?: string },
): Promise<void> {
  const { key, id } = await writeNewKey(target.db, project, target.actor, details);
  note(
    `Key ${id} for ${shown(project)} is active. It is shown this once: keep it in a secret manager.`,
  );
  try {
    await printSecret(key);
  } catch (cause) {
    const undo = target.commandLine(`keys revoke ${id}`);
    throw new Failure(
      `The key ${id} could not be printed and is lost: revoke it with \`${undo}\`.`,
      { cause },
    );
  }
}

async function revoke(target: ChangeTarget, id: string): Promise<void> {
  const { active, revokedAt } = await writeKeyRevocation(target.db, id, target.actor);
  const since = minute(revokedAt);
  note(
    active
      ? `Key ${id} is revoked: no further request is admitted with it.`
      : `Key ${id} was revoked already${since ? `, at ${since} UTC` : ''}: nothing was changed.`,
  );
}
