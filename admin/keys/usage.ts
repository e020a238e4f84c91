// The command `keys usage`: shows when and how often a key was used, according to the log.

import type { Command } from 'commander';
import { parseInstant } from '../frame/instant.ts';
import { isoTime, note, printJson, printTable, utcMinute } from '../frame/output.ts';
import { openTarget, type Target } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import { formatCount } from '../terminal/table.ts';
import { type LoggedLookup, lookupQuery, readLookups } from './lookupLog.ts';
import { parseId } from './parseId.ts';
import { type ListedKey, readKey } from './records.ts';

/** Cloud Logging keeps entries for 30 days, unless a project pays for more. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** The code of lookups that were refused because the key is revoked. */
const REFUSED = 'unauthorized';

interface UsageFlags {
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly json?: boolean;
}

/** How often a key was used in one mode with one outcome, and when. */
interface Use {
  readonly mode: string | undefined;
  readonly code: string;
  count: number;
  firstAt: number;
  lastAt: number;
}

export function addUsageCommand(keys: Command): void {
  keys
    .command('usage')
    .description('show when and how often a key was used, according to the log')
    .argument('<id>', 'the id that `keys list` shows')
    .option(
      '--since <time>',
      'only lookups since then, for example 2026-11-01 or 2026-11-01T09:30Z (default: 30 days ago)',
      parseInstant,
    )
    .option('--json', 'print JSON')
    .action(async (text: string, flags: UsageFlags, command: Command) => {
      const id = parseId(text);
      if (process.env['FIRESTORE_EMULATOR_HOST']) {
        throw usageFailure(
          'The emulators keep no log. Unset FIRESTORE_EMULATOR_HOST, and name a project.',
        );
      }
      await using target = await openTarget(command);
      const key = await readKey(target.db, id);
      await show(target, key, flags);
    });
}

async function show(target: Target, key: ListedKey, flags: UsageFlags): Promise<void> {
  const since = flags.since ?? target.nowMs() - KEPT_MS;
  const query = lookupQuery(key.id, since);
  note(`Query: ${query}`);
  const uses = new Map<string, Use>();
  const pages = readLookups(target.project, query);
  let next = await pages.next();
  for (; !next.done; next = await pages.next()) {
    for (const lookup of next.value) count(uses, lookup);
  }
  const rows = [...uses.values()].sort((a, b) => b.lastAt - a.lastAt);
  const lastUsedAt = rows.find(({ code }) => code !== REFUSED)?.lastAt;
  const lastRefusedAt = rows.find(({ code }) => code === REFUSED)?.lastAt;
  if (flags.json) {
    await printJson({
      id: key.id,
      project: key.project ?? null,
      active: key.active,
      query,
      since: isoTime(since),
      complete: next.value,
      lastUsedAt: isoTime(lastUsedAt),
      lastRefusedAt: isoTime(lastRefusedAt),
      uses: rows.map(({ mode = null, code, count: lookups, firstAt, lastAt }) => {
        return { mode, code, lookups, firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) };
      }),
    });
    return;
  }
  if (rows.length > 0) {
    await printTable(
      ['MODE', 'OUTCOME', 'LOOKUPS', 'FIRST (UTC)', 'LAST (UTC)'],
      rows.map((row) => [
        row.mode,
        row.code,
        formatCount(row.count),
        utcMinute(row.firstAt),
        utcMinute(row.lastAt),
      ]),
    );
  }
  note(`The key ${key.id} ${lastUse(lastUsedAt, since, next.value)}.`);
  if (lastRefusedAt !== undefined) {
    note(`It was last refused at ${utcMinute(lastRefusedAt)} UTC, so somebody still uses it.`);
  }
  if (!next.value)
    note('There are more lookups than were counted. Choose a later time with --since.');
}

/** @param isComplete false if earlier lookups were not counted; the key may have been accepted in one of them */
export function lastUse(
  lastUsedAt: number | undefined,
  since: number,
  isComplete: boolean,
): string {
  if (lastUsedAt !== undefined) return `was last used at ${utcMinute(lastUsedAt)} UTC`;
  return isComplete
    ? `has not been used since ${utcMinute(since)} UTC`
    : 'was refused in all counted lookups';
}

function count(uses: Map<string, Use>, { at, mode, code }: LoggedLookup): void {
  const name = `${mode} ${code}`;
  const use = uses.get(name) ?? { mode, code, count: 0, firstAt: at, lastAt: at };
  use.count += 1;
  use.firstAt = Math.min(use.firstAt, at);
  use.lastAt = Math.max(use.lastAt, at);
  uses.set(name, use);
}
