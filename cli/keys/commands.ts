// The group `keys`: create, list, rotate and revoke API keys (specification, 2.5 and 5).

import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  hashApiKey,
  type KeyRights,
  keyId,
  keyStateAt,
  MODES,
  type Mode,
} from '../../records/apiKey.ts';
import { API_KEY_PATTERN } from '../../records/apiKeyText.ts';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { example, parseInstant } from '../frame/input.ts';
import { isoTime, minuteOf, note, printSecret } from '../frame/output.ts';
import { openTarget, type Target } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { type ListOptions, listKeys, rightsText } from './list.ts';
import { createKey, type ListedKey, readKey, writeKeyRevocation, writeNewKey } from './records.ts';

/** The options for what a new key may do. */
interface RightsFlags {
  readonly modes?: readonly Mode[];
  readonly ends?: End;
  readonly readsPerSecond?: number;
}

const withRights = (command: Command): Command =>
  command
    .option('--modes <list>', `it may look up only by these, as in ${MODES.join(',')}`, parseModes)
    .option('--ends <when>', 'it ends then, or after some days, as in 90d', parseEnd)
    .option('--reads-per-second <count>', 'its document reads, on each instance', parseRate);

export function addKeysGroup(program: Command): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys');

  withRights(
    keys
      .command('create')
      .description('create a key and print it on standard output; it is shown only once')
      .requiredOption('--project <name>', 'the project that gets the key', nameBy(PROJECT_RULE))
      .option('--contact <text>', 'the person to write to if the key leaks', nameBy(CONTACT_RULE)),
  )
    .addHelpText('after', example('keys create --project "Acme DAO" --modes token --ends 90d'))
    .action(
      async (flags: RightsFlags & { project: string; contact?: string }, command: Command) => {
        await using target = await openTarget(command);
        await create(target, flags.project, flags.contact, rightsOf(flags, target.nowMs()));
      },
    );

  keys
    .command('list')
    .description('list the keys; only the hash and the last characters of a key are stored')
    .option('--project <name>', 'only the keys of this project (case-insensitive)')
    .option('--hint <text>', 'only keys that end in these 4 characters')
    .option('--active', 'only keys that are neither revoked nor ended')
    .option('--contacts', 'print only the contacts of active keys, one a line')
    .option('--json', 'print JSON')
    .addHelpText('after', example('keys list --project "Acme DAO" --active'))
    .action(async (options: ListOptions, command: Command) => {
      await using target = await openTarget(command);
      await listKeys(target, options);
    });

  withRights(
    keys
      .command('rotate')
      .description("create a second key with a key's project and rights, and end the old key later")
      .argument(...ID)
      .addOption(
        new Option('--old-ends <when>', 'the old key ends then, or never')
          .argParser((text) => (text === NEVER ? NEVER : parseEnd(text)))
          .default(parseEnd('7d'), '7d'),
      ),
  )
    .addHelpText('after', example('keys rotate 3f9a0c11d2e4 --old-ends 30d'))
    .action(
      async (
        id: string,
        flags: RightsFlags & { oldEnds: End | typeof NEVER },
        command: Command,
      ) => {
        await using target = await openTarget(command);
        await rotate(target, await readKey(target.db, id), flags);
      },
    );

  keys
    .command('revoke')
    .description('revoke a key; later requests with it are refused')
    .argument(...ID)
    .addHelpText('after', example('keys revoke 3f9a0c11d2e4'))
    .action(async (id: string, _flags: object, command: Command) => {
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

/** For an old key that is revoked by hand. */
const NEVER = 'never';
const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 365 * DAY_MS;

/** When a key ends, by the database's clock. */
type End = (nowMs: number) => Date;

function parseEnd(text: string): End {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  if (days !== undefined) return (nowMs) => new Date(nowMs + Number(days) * DAY_MS);
  const at = new Date(parseInstant(text));
  return () => at;
}

function parseModes(text: string): readonly Mode[] {
  const named = text.split(',');
  const modes = MODES.filter((mode) => named.includes(mode));
  if (modes.length === named.length) return modes;
  throw new InvalidArgumentError(`Write one of ${MODES.join(', ')}, or several with commas.`);
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(rate) && rate > 0) return rate;
  throw new InvalidArgumentError('It must be a whole number, and at least 1.');
}

/** @throws Failure (exit status 2) unless the end is in the future */
function endOf(end: End, nowMs: number): Date {
  const at = end(nowMs);
  if (at.getTime() > nowMs) return at;
  throw usageFailure(`${minuteOf(at.toISOString())} UTC has passed. Give a later end.`);
}

const rightsOf = ({ modes, ends, readsPerSecond }: RightsFlags, nowMs: number): KeyRights => ({
  ...(modes && modes.length < MODES.length && { modes }),
  ...(ends && { expiresAt: endOf(ends, nowMs) }),
  ...(readsPerSecond !== undefined && { readsPerSecond }),
});

/** Creates a key with the rights of the old one, unless other rights are given. */
async function rotate(
  target: Target,
  old: ListedKey,
  { oldEnds, ...flags }: RightsFlags & { oldEnds: End | typeof NEVER },
): Promise<void> {
  const { id, hash, project, contact, modes, readsPerSecond, expiresAt } = old;
  const nowMs = target.nowMs();
  const state = keyStateAt(old, nowMs);
  if (state !== 'active' || project === undefined || modes.length === 0) {
    const fault = project === undefined ? 'has no project' : 'has no valid modes';
    throw new Failure(
      `The key ${id} ${state === 'active' ? fault : `is ${state}`}. Use \`keys create\` instead.`,
    );
  }
  const inherited = { modes, ...(readsPerSecond !== undefined && { readsPerSecond }) };
  // A key with an end does not become one without.
  const ends: End | undefined =
    expiresAt === undefined ? undefined : () => new Date(nowMs + YEAR_MS);
  const rights = rightsOf({ ...inherited, ...(ends && { ends }), ...flags }, nowMs);
  const oldEnd = oldEnds === NEVER ? undefined : endOf(oldEnds, nowMs);
  await create(target, project, contact, rights, oldEnd && { hash, end: oldEnd });
  const firstEnd = Math.min(oldEnd?.getTime() ?? Infinity, expiresAt ?? Infinity);
  const ending = Number.isFinite(firstEnd)
    ? `ends at ${minuteOf(isoTime(firstEnd))} UTC`
    : 'does not end by itself';
  note(
    `The old key ${id} ${ending}. Once ${quoted(project)} uses the new key, revoke the old one with:\n` +
      `  ${target.commandLine(`keys revoke ${id}`)}\n` +
      'The last lookups with the old key, if any:\n' +
      `  ${lookupsCommand(id, target.project)}`,
  );
}

/** @param replaced the old key, and when it ends at the latest */
async function create(
  target: Target,
  project: string,
  contact: string | undefined,
  rights: KeyRights,
  replaced?: Parameters<typeof writeNewKey>[5],
): Promise<void> {
  const made = createKey();
  const { key, id } = made;
  const undo = target.commandLine(`keys revoke ${id}`);
  const details = { ...rights, ...(contact !== undefined && { contact }) };
  await target.change(
    `Create the key ${id} for ${quoted(project)} (${rightsText(rights)})`,
    ({ db, actor }) => writeNewKey(db, made, project, actor, details, replaced),
    `Nobody has this key. Revoke it with \`${undo}\`, and create another one.`,
  );
  note(
    `Key ${id} for ${quoted(project)} is active (${rightsText(rights)}). It is shown only once. Keep it in a secret manager.`,
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
