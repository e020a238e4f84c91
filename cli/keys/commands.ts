// The group `keys`: create, list, change, rotate and revoke API keys (specification, 2.5 and 5), and count their use.

import { randomBytes } from 'node:crypto';
import { Option } from 'commander';
import { DAY_MS, MODES, type Mode } from '../../contract/endpoint.ts';
import {
  describeRights,
  endOfDay,
  hashApiKey,
  type KeyDetails,
  keyId,
  type StoredKey,
} from '../../records/apiKey.ts';
import {
  API_KEY_PATTERN,
  activeKeyOf,
  formatUtc,
  MODE_REVEALS,
  newApiKey,
  obstacleOf,
} from '../../records/apiKeyText.ts';
import {
  changeKey,
  createKey,
  differences,
  type Replaced,
  revokeKey,
} from '../../records/keyChanges.ts';
import { describeUse } from '../../records/keyUse.ts';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { parseCount, parseInstant } from '../frame/input.ts';
import { note, print, printSecret } from '../frame/output.ts';
import type { AdminCommand, Target } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal, formatAmount, safeJson } from '../terminal/table.ts';
import { linesAbout } from './check.ts';
import { listKeys } from './list.ts';
import { readKey, readKeys, readUse, writeKeys, writeUse } from './records.ts';
import { countUse } from './use.ts';

/** What a key may do, as the options say it. Zero and false remove what was there. */
interface Flags {
  readonly contact?: string | false;
  readonly modes?: readonly Mode[];
  readonly ends?: End;
  readonly readsPerSecond?: number;
}

interface CreateFlags extends Flags {
  readonly project: string;
}

const MODES_RULE = `Say with --modes what the key may look up by, one or more of:\n${MODES.map(
  (mode) => `  ${mode.padEnd(6)}  ${MODE_REVEALS[mode]}`,
).join('\n')}`;

export function addKeysGroup(program: AdminCommand): void {
  const keys = program
    .command('keys')
    .description('create, list, change, rotate and revoke API keys');
  addCreateAndList(keys);
  addChanges(keys);
  addFiguresAndCheck(keys);
}

function addCreateAndList(keys: AdminCommand): void {
  withRights(
    keys
      .command('create')
      .description(
        'create a key, by default for a year, and print it on standard output; it is shown only once',
      )
      .requiredOption('--project <name>', 'the project (required)', nameBy(PROJECT_RULE)),
  )
    .hook('preAction', (_, command) => {
      if (command.opts<Flags>().modes === undefined) throw usageFailure(MODES_RULE);
    })
    .example('keys create --project "Acme DAO" --modes token --ends 90d')
    .onTarget(async (target, { project, ends = IN_A_YEAR, ...flags }: CreateFlags) => {
      const details = changeOf({ ...flags, ends }, target);
      const other = activeKeyOf(await readKeys(target.db), project, target.nowMs());
      if (other) {
        const [name, rotate] = [quoted(other.project), `keys rotate ${other.id}`];
        note(
          `${name} has the active key ${other.id}. To replace it, run ${target.commandLine(rotate)}`,
        );
      }
      await create(target, project, details);
    });

  keys
    .command('list')
    .description('list the keys; only the hash and the last characters of a key are stored')
    .option('--project <name>', 'only the keys of this project (case-insensitive)')
    .option('--hint <text>', 'only keys that end in these 4 characters')
    .option('--active', 'only keys that work')
    .option('--unused', 'only active keys that were not used in 30 days')
    .option('--ends-soon', 'only active keys that end within two weeks')
    .option('--contacts', 'print only the contacts of active keys, one a line')
    .option('--json', 'print JSON')
    .example('keys list --project "Acme DAO" --active')
    .onTarget(listKeys);
}

function addChanges(keys: AdminCommand): void {
  withRights(
    keys
      .command('change')
      .description('change what an active key may do, when it ends, or its contact')
      .argument(...ID),
  )
    .option('--no-contact', 'remove the contact')
    .hook('preAction', (_, command) => {
      if (Object.keys(command.opts()).length === 0) {
        throw usageFailure('Say what to change: --contact, --modes, --ends or --reads-per-second.');
      }
    })
    .example('keys change 3f9a0c11d2e4 --reads-per-second 500')
    .onTarget(change);

  keys
    .command('rotate')
    .description("create a second key with a key's project and rights, and end the old key later")
    .argument(...ID)
    .option(
      '--ends <when>',
      'the new key ends then (default: in a year, if the old one ends)',
      parseEnd,
    )
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
    .onTarget(revoke);
}

function addFiguresAndCheck(keys: AdminCommand): void {
  keys
    .command('use')
    .description('count the lookups of the last 30 days with each key, for the lists of keys')
    .example('keys use')
    .onTarget(recordUse);

  keys
    .command('check')
    .description('print a line for each key that is in use and ends soon, or has wrong fields')
    .example('keys check')
    .onTarget(async ({ db, nowMs }) => {
      const [all, use] = await Promise.all([readKeys(db), readUse(db)]);
      const lines = linesAbout(all, use, nowMs());
      await print(lines.map((line) => `${safeJson(line)}\n`).join(''));
    });
}

/** The options of what an admin decides about a key. */
const withRights = (command: AdminCommand): AdminCommand =>
  command
    .option('--contact <text>', 'the person to write to if the key leaks', nameBy(CONTACT_RULE))
    .addOption(new Option('--modes <mode...>', 'it may look up only by these').choices(MODES))
    .option(
      '--ends <when>',
      'it ends then, with this day (UTC), or after some days, as in 90d; or never',
      parseEnd,
    )
    .option(
      '--reads-per-second <count>',
      'its document reads, on each instance; or deployed',
      parseRate,
    )
    .addHelpText('after', `\nModes:\n${MODES_RULE.split('\n').slice(1).join('\n')}`);

/** Escapes a name, because control characters in a name could change what a prompt shows. */
const quoted = (project: string | undefined): string =>
  project === undefined ? 'an unknown project' : `"${escapeForTerminal(project)}"`;

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

/** When a key ends, by the database's clock; undefined for never. */
type End = (nowMs: number) => number | undefined;

function parseEnd(text: string): End {
  if (text === 'never') return () => undefined;
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  if (days !== undefined) return (nowMs) => nowMs + Number(days) * DAY_MS;
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? endOfDay(text) : parseInstant(text);
  return () => at;
}
const IN_A_YEAR = parseEnd('365d');

/** Zero stands for the deployment's limit, because Commander takes null for no value. */
const parseRate = (text: string): number => (text === 'deployed' ? 0 : parseCount(text));

/** @throws Failure (exit status 2) unless the end is in the future */
function endOf(end: End, nowMs: number): number | undefined {
  const at = end(nowMs);
  if (at === undefined || at > nowMs) return at;
  throw usageFailure(`${formatUtc(at)} has passed. Give a later end.`);
}

const changeOf = (
  { contact, modes, ends, readsPerSecond }: Flags,
  { nowMs }: Target,
): KeyDetails => ({
  ...(contact !== undefined && { contact: contact || undefined }),
  ...(modes && { modes: MODES.filter((mode) => modes.includes(mode)) }),
  ...(ends && { expiresAt: endOf(ends, nowMs()) }),
  ...(readsPerSecond !== undefined && { readsPerSecond: readsPerSecond || undefined }),
});

/** As in "contact ops@acme.example, lookups only by token, ends 2026-12-01 09:00 UTC". */
function describeDetails(details: KeyDetails, nowMs: number): string {
  const rights = describeRights(details, nowMs, formatUtc);
  const { contact } = details;
  return contact === undefined ? rights : `contact ${escapeForTerminal(contact)}, ${rights}`;
}

/** Why nothing can be done with a key. Undefined if it is active. */
const obstacleTo = (key: StoredKey, nowMs: number): string | undefined =>
  obstacleOf(key, nowMs, formatUtc, (actor) => escapeForTerminal(actor ?? 'unknown'));

async function change(target: Target, id: string, flags: Flags): Promise<void> {
  const key = await readKey(target.db, id);
  const obstacle = obstacleTo(key, target.nowMs());
  if (obstacle !== undefined) throw new Failure(`${obstacle} Only an active key can be changed.`);
  const wanted = differences(key, changeOf(flags, target));
  if (Object.keys(wanted).length === 0)
    return note('The key is like this already. Nothing was changed.');
  const [was, is] = [key, { ...key, ...wanted }].map((details) =>
    describeDetails(details, target.nowMs()),
  );
  const which = `the key ${key.id} of ${quoted(key.project)}`;
  const isChanged = await target.change(
    `Change ${which} from (${was}) to (${is})`,
    ({ db, actor }) =>
      writeKeys(db, actor, target.nowMs(), (all) => changeKey(all, key.hash, wanted)),
  );
  if (!isChanged) throw new Failure(`The key ${key.id} is no longer active. Nothing was changed.`);
  note(`Changed ${which} to (${is}).`);
}

async function revoke(target: Target, id: string): Promise<void> {
  const key = await readKey(target.db, id);
  const obstacle = obstacleTo(key, target.nowMs());
  if (obstacle !== undefined) return note(`${obstacle} Nothing was changed.`);
  const end = key.hint === undefined ? '' : ` that ends in ${escapeForTerminal(key.hint)}`;
  const use = describeUse((await readUse(target.db)).get(key.id), formatUtc);
  const isRevoked = await target.change(
    `Revoke the key ${key.id}${end} of ${quoted(key.project)} (${use})`,
    ({ db, actor }) => writeKeys(db, actor, target.nowMs(), (all) => revokeKey(all, key.hash)),
  );
  note(
    isRevoked
      ? `Key ${key.id} is revoked. Later requests with it are refused.`
      : `Somebody else has revoked the key ${key.id}, or it has ended. Nothing was changed.`,
  );
}

/** Creates a key with the rights of the old one. */
async function rotate(
  target: Target,
  id: string,
  { ends, oldEnds }: { ends?: End; oldEnds: End },
): Promise<void> {
  const old = await readKey(target.db, id);
  const { hash, project, contact, modes, expiresAt, readsPerSecond, replacedBy } = old;
  const obstacle =
    obstacleTo(old, target.nowMs()) ??
    (project === undefined ? `The key ${id} has no project.` : undefined) ??
    (modes.length === 0 ? `The key ${id} has no valid modes.` : undefined);
  if (obstacle !== undefined || project === undefined) {
    throw new Failure(`${obstacle} Use \`keys create\` instead.`);
  }
  const use = (await readUse(target.db)).get(old.id);
  note(`The old key ${old.id}: ${describeUse(use, formatUtc)}.`);
  if (replacedBy !== undefined) {
    note(
      `The key ${escapeForTerminal(replacedBy)} already replaces it. If nobody has that key, revoke it.`,
    );
  }
  // A key with an end does not become one without, unless it is asked for.
  const newEnd = ends ?? (expiresAt === undefined ? undefined : IN_A_YEAR);
  const ended = newEnd && { expiresAt: endOf(newEnd, target.nowMs()) };
  const end = endOf(oldEnds, target.nowMs());
  await create(target, project, { contact, modes, readsPerSecond, ...ended }, { hash, end });
  const firstEnd = Math.min(end ?? Infinity, expiresAt ?? Infinity);
  note(
    `The old key ${old.id} ${firstEnd < Infinity ? `ends at ${formatUtc(firstEnd)}` : 'has no end'}. ` +
      `Once ${quoted(project)} uses the new key, ` +
      `revoke the old one with:\n  ${target.commandLine(`keys revoke ${old.id}`)}`,
  );
}

async function create(
  target: Target,
  project: string,
  details: KeyDetails,
  replaced?: Replaced,
): Promise<void> {
  const key = newApiKey(randomBytes);
  const id = keyId(hashApiKey(key));
  const undo = target.commandLine(`keys revoke ${id}`);
  const what = `the key ${id} for ${quoted(project)} (${describeDetails(details, target.nowMs())})`;
  await target.change(
    `Create ${what}`,
    ({ db, actor }) =>
      writeKeys(db, actor, target.nowMs(), (all) =>
        createKey(all, key, project, details, replaced),
      ),
    `Nobody has this key. Revoke it with \`${undo}\`, and create another one.`,
  );
  note(`Created ${what}. It is shown only once. Keep it in a secret manager.`);
  await printSecret(
    key,
    `The key ${id} could not be printed and is lost. Revoke it with \`${undo}\`.`,
  );
}

async function recordUse(target: Target): Promise<void> {
  if (target.isEmulated)
    return note('The emulators have no Cloud Monitoring. Nothing was changed.');
  const asOf = new Date(target.nowMs());
  const counted = await countUse(target.project, asOf.getTime());
  const none = { lookups: 0, refused: 0, lastUsedOn: undefined };
  const use = (await readKeys(target.db))
    .filter(({ faults }) => faults.id === undefined)
    .map(({ id }) => [id, counted.get(id) ?? none] as const);
  await target.change('Write how much each key is used', ({ db }) => writeUse(db, use, asOf));
  note(`Wrote the use of ${formatAmount(use.length, 'key')}.`);
}
