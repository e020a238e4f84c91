// What was done with the keys, by whom and when, as their records have it.

import { useState } from 'preact/hooks';
import type { Session } from '../session.ts';
import { formatTime } from '../times.ts';
import type { StoredKey } from './keyStore.ts';
import { nameActor, nameProject } from './names.ts';

const STEP = 20;

interface Entry {
  readonly stored: StoredKey;
  readonly verb: 'created' | 'revoked';
  readonly atMs: number | undefined;
  readonly actor: string | undefined;
}

/** The newest first. */
const entriesOf = (keys: readonly StoredKey[]): Entry[] =>
  keys
    .flatMap((stored): Entry[] => [
      { stored, verb: 'created', atMs: stored.createdAt, actor: stored.createdBy },
      ...(stored.active
        ? []
        : [{ stored, verb: 'revoked' as const, atMs: stored.revokedAt, actor: stored.revokedBy }]),
    ])
    .filter(({ atMs }) => atMs !== undefined)
    .sort((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0));

export function KeyHistory({ keys, session }: { keys: readonly StoredKey[]; session: Session }) {
  const [limit, setLimit] = useState(STEP);
  const entries = entriesOf(keys);
  if (entries.length === 0) return null;
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol>
        {entries.slice(0, limit).map(({ stored, verb, atMs = 0, actor }) => (
          <li key={`${stored.hash} ${verb}`}>
            <time dateTime={new Date(atMs).toISOString()}>{formatTime(atMs)}</time>
            <span>
              Key <code>{stored.id}</code> of <bdi>{nameProject(stored)}</bdi>{' '}
              <strong class={verb}>{verb}</strong> by {nameActor(actor, session)}
            </span>
          </li>
        ))}
      </ol>
      {entries.length > limit && (
        <button type="button" class="more" onClick={() => setLimit(limit + STEP)}>
          Show earlier
        </button>
      )}
    </section>
  );
}
