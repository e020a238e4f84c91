// Shows the state of the mirror on the page "Status", in words on which a platform can act.

import { HOUR_MS } from '../../contract/endpoint.ts';
import { mirrorStateAt, STATUS_HOURS_MAX } from '../../contract/mirrorStatus.ts';

/** The address of the stored state in Firestore's REST API; empty if the build does not know the project. */
declare const MIRROR_STATUS_ADDRESS: string;

/** Firestore usually responds within a second. */
const GIVE_UP_MS = 15_000;

/** A stored value as Firestore's REST API returns it. */
interface Value {
  readonly timestampValue?: string;
  readonly integerValue?: string;
  readonly stringValue?: string;
}
type Fields = Readonly<Record<string, Value | undefined>>;

const FAILED =
  'The state of the mirror cannot be read at present. Load this page again in a minute.';
const OUTDATED = 'This state is out of date. Until it changes, the mirror may have stopped.';
const SENTENCES = {
  ok: 'Nothing is known to be wrong with the mirror.',
  empty: 'The mirror is empty. Lookups show nobody as verified: do not act on their answers.',
  findings: 'The mirror is current, but the last comparison with the chain found differences.',
  stopped: 'The mirror has stopped. People who were verified since then are not shown as verified.',
};

const timeOf = (value: Value | undefined): number | undefined =>
  value?.timestampValue === undefined ? undefined : Date.parse(value.timestampValue);

const RELATIVE = new Intl.RelativeTimeFormat('en');
/** Beyond these, days say more. */
const AGO_HOURS_MAX = 100;

/** As in "2026-11-20 09:00 UTC, 3 hours ago". */
function textOf(time: number | undefined, now: number): string {
  if (time === undefined) return 'none';
  const hours = Math.max(0, Math.floor((now - time) / HOUR_MS));
  const minute = new Date(time).toISOString().slice(0, 16).replace('T', ' ');
  if (hours === 0) return `${minute} UTC, less than an hour ago`;
  const isLong = hours > AGO_HOURS_MAX;
  const ago = RELATIVE.format(-Math.floor(isLong ? hours / 24 : hours), isLong ? 'day' : 'hour');
  return `${minute} UTC, ${ago}`;
}

async function readFields(): Promise<Fields | undefined> {
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const response = await fetch(MIRROR_STATUS_ADDRESS, { signal });
  const { fields } = await response.json();
  return fields;
}

export async function showStatus(place: HTMLElement): Promise<void> {
  const fields = await readFields().catch(() => undefined);
  const now = Date.now();
  const asOf = timeOf(fields?.['asOf']);
  if (!fields || asOf === undefined) {
    place.textContent = FAILED;
    return;
  }
  const synced = timeOf(fields['newestSyncedAt']);
  const findings = fields['findings']?.integerValue ?? 'none known';
  const state = mirrorStateAt(synced, now);
  const known = state === 'ok' && Number(findings) > 0 ? 'findings' : state;
  const isOutdated = now - asOf > STATUS_HOURS_MAX * HOUR_MS;
  const verdict = document.createElement('p');
  verdict.className = known === 'ok' && !isOutdated ? 'verdict good' : 'verdict';
  verdict.textContent = isOutdated ? OUTDATED : SENTENCES[known];
  const notice = document.createElement('p');
  notice.textContent = fields['notice']?.stringValue ?? '';
  const rows = {
    'Newest attestation in the mirror': textOf(synced, now),
    'Last comparison with the chain': textOf(timeOf(fields['auditedAt']), now),
    'Differences that it found': findings,
    'This was written': textOf(asOf, now),
  };
  const table = document.createElement('table');
  for (const cells of Object.entries(rows)) {
    const row = table.insertRow();
    for (const text of cells) row.insertCell().textContent = text;
  }
  place.replaceChildren(verdict, ...(notice.textContent ? [notice] : []), table);
}
