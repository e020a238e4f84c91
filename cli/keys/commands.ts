// The group `keys`: create, list, rotate and revoke API keys (specification, 2.5 and 5).

import { Option } from 'commander';
import { MODES, type Mode } from '../../contract/endpoint.ts';
import { hashApiKey, type KeyRights, keyId, keyStateAt } from '../../records/apiKey.ts';
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { parseCount, parseInstant } from '../frame/input.ts';
import { isoTime, minuteOf, note, printSecret } from '../frame/output.ts';
import type { AdminCommand, Target } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { listKeys, rightsText } from './list.ts';
import { createKey, readKey, writeKeyRevocation, writeNewKey } from './records.ts';

/** What a new key may do. */
interface Rights {
  readonly modes?: readonly Mode[];
  readonly ends?: End | undefined;
  readonly readsPerSecond?: number | undefined;
}

export function addKeysGroup(program: AdminCommand): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys');

  keys
    .command('create')
    .description('create a key and print it on standard output; it is shown only once')
    .requiredOption('--project <name>', 'the project (required)', nameBy(PROJECT_RULE))
    .option('--contact <text>', 'the person to write to if the key leaks', nameBy(CONTACT_RULE))
    .addOption(new Option('--modes <mode...>', 'it may look up only by these').choices(MODES))
    .option('--ends <when>', 'it ends then, or after some days, as in 90d', parseEnd)
    .option('--reads-per-second <count>', 'its document reads, on each instance', parseCount)
    .example('keys create --project "Acme DAO" --modes token --ends 90d')
    .onTarget((target, flags: Rights & { project: string; contact?: string }) =>
      create(target, flags.project, flags.contact, flags),
    );

  keys
    .command('list')
    .description('list the keys; only the hash and the last characters of a key are stored')
    .option('--project <name>', 'only the keys of this project (case-insensitive)')
    .option('--hint <text>', 'only keys that end in these 4 characters')
    .option('--active', 'only keys that are neither revoked nor ended')
    .option('--contacts', 'print only the contacts of active keys, one a line')
    .option('--json', 'print JSON')
    .example('keys list --project "Acme DAO" --active')
    .onTarget(listKeys);

  keys
    .command('rotate')
    .description("create a second key with a key's project and rights, and end the old key later")
    .argument(...ID)
    .addOption(
      new Option('--old-ends <when>', 'the old key ends then, or after some days')
        .argParser(parseEnd)
        .default(parseEnd('7d'), '7d'),
    )
    .example('keys rotate 3f9a0c11d2e4 --old-ends 30d')
    .onTarget(rotate);

  keys
    .command('revoke')
    .description('revoke a key; later requests with it are refused')
    .argument(...ID)
    .example('keys revoke 3f9a0c11d2e4')
    .onTarget(async (target, id: string) => {
      const { project, hint, hash, active } = await readKey(target.db, id);
      if (!active) return note(`Key ${id} was already revoked. Nothing was changed.`);
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

function nameBy(rule: string): (text: string) => string {
  return (text) => {
    const name = parseProject(text);
    // Commander takes the option in `--project --json` for a name.
    if (name === undefined || name.startsWith('--')) throw usageFailure(rule);
    return name;
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** When a key ends, by the database's clock. */
type End = (nowMs: number) => Date;

function parseEnd(text: string): End {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  if (days !== undefined) return (nowMs) => new Date(nowMs + Number(days) * DAY_MS);
  const at = new Date(parseInstant(text));
  return () => at;
}

/** @throws Failure (exit status 2) unless the end is in the future */
function endOf(end: End, nowMs: number): Date {
  const at = end(nowMs);
  if (at.getTime() > nowMs) return at;
  throw usageFailure(`${minuteOf(at.toISOString())} UTC has passed. Give a later end.`);
}

/** Creates a key with the rights of the old one. */
async function rotate(target: Target, id: string, { oldEnds }: { oldEnds: End }): Promise<void> {
  const old = await readKey(target.db, id);
  const { hash, project, contact, modes, readsPerSecond, expiresAt } = old;
  const state = keyStateAt(old, target.nowMs());
  if (state !== 'active' || project === undefined || modes.length === 0) {
    const fault = project === undefined ? 'has no project' : 'has no valid modes';
    throw new Failure(
      `The key ${id} ${state === 'active' ? fault : `is ${state}`}. Use \`keys create\` instead.`,
    );
  }
  // A key with an end does not become one without.
  const ends = expiresAt === undefined ? undefined : parseEnd('365d');
  const end = endOf(oldEnds, target.nowMs());
  await create(target, project, contact, { modes, readsPerSecond, ends }, { hash, end });
  const firstEnd = isoTime(Math.min(end.getTime(), expiresAt ?? Infinity));
  note(
    `The old key ${old.id} ends at ${minuteOf(firstEnd)} UTC. Once ${quoted(project)} uses the new key, ` +
      `revoke the old one with:\n  ${target.commandLine(`keys revoke ${old.id}`)}`,
  );
}

/** @param replaced the old key, and when it ends at the latest */
async function create(
  target: Target,
  project: string,
  contact: string | undefined,
  { modes = MODES, ends, readsPerSecond }: Rights,
  replaced?: Parameters<typeof writeNewKey>[5],
): Promise<void> {
  const allowed = MODES.filter((mode) => modes.includes(mode));
  const rights: KeyRights = {
    ...(allowed.length < MODES.length && { modes: allowed }),
    ...(ends && { expiresAt: endOf(ends, target.nowMs()) }),
    ...(readsPerSecond !== undefined && { readsPerSecond }),
  };
  const details = { ...rights, ...(contact !== undefined && { contact }) };
  const made = createKey();
  const undo = target.commandLine(`keys revoke ${made.id}`);
  const what = `the key ${made.id} for ${quoted(project)} (${rightsText(rights)})`;
  await target.change(
    `Create ${what}`,
    ({ db, actor }) => writeNewKey(db, made, project, actor, details, replaced),
    `Nobody has this key. Revoke it with \`${undo}\`, and create another one.`,
  );
  note(`Created ${what}. It is shown only once. Keep it in a secret manager.`);
  await printSecret(
    made.key,
    `The key ${made.id} could not be printed and is lost. Revoke it with \`${undo}\`.`,
  );
}
