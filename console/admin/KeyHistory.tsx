// The history of the keys: who created or revoked which key, and when.

import { useRef, useState } from 'preact/hooks';
import { keyId, parseKeyHash } from '../../records/apiKey.ts';
import { ShowMore } from '../ShowMore.tsx';
import { formatTime } from '../times.ts';
import type { StoredKey } from './keyStore.ts';
import { type NameActor, nameProject } from './names.ts';

const STEP = 20;

interface Entry {
  readonly subject: StoredKey;
  readonly verb: 'created' | 'revoked';
  readonly atMs: number;
  readonly actor: string | undefined;
}

/** Newest first. If the times are equal, the revocation comes first because it happened later. */
const entriesOf = (keys: readonly StoredKey[]): Entry[] =>
  keys
    .flatMap((subject): Entry[] => {
      const { createdAt, createdBy, revokedAt, revokedBy } = subject;
      const entries: Entry[] = [];
      if (revokedAt !== undefined && subject.state === 'revoked')
        entries.push({ subject, verb: 'revoked', atMs: revokedAt, actor: revokedBy });
      if (createdAt !== undefined)
        entries.push({ subject, verb: 'created', atMs: createdAt, actor: createdBy });
      return entries;
    })
    .sort((a, b) => b.atMs - a.atMs);

interface Props {
  readonly keys: readonly StoredKey[];
  readonly nameActor: NameActor;
}

export function KeyHistory({ keys, nameActor }: Props) {
  const [limit, setLimit] = useState(STEP);
  const list = useRef<HTMLOListElement>(null);
  const entries = entriesOf(keys);
  if (entries.length === 0) return null;
  return (
    <section class="section" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol ref={list}>
        {entries.slice(0, limit).map(({ subject, verb, atMs, actor }) => (
          <li class="row" key={`${subject.hash} ${verb}`}>
            <time dateTime={new Date(atMs).toISOString()}>{formatTime(atMs)}</time>
            <span>
              Key <code>{subject.id}</code> of <bdi>{nameProject(subject)}</bdi>{' '}
              <strong class={verb}>{verb}</strong> by {nameActor(actor)}
              {verb === 'created' && rotation(subject)}
            </span>
          </li>
        ))}
      </ol>
      <ShowMore list={list} total={entries.length} step={STEP} limit={limit} onMore={setLimit}>
        Show earlier
      </ShowMore>
    </section>
  );
}

function rotation({ rotates = '' }: StoredKey) {
  const old = parseKeyHash(rotates);
  return (
    old && (
      <>
        {' '}
        to replace <code>{keyId(old)}</code>
      </>
    )
  );
}
