// What the scheduled job logs about keys once a day: keys that end soon although they are in use, and records with
// wrong values.

import { DAY_MS } from '../../contract/endpoint.ts';
import { endsSoon, type StoredKey, shownState } from '../../records/apiKey.ts';
import type { KeyUse } from '../../records/keyUse.ts';
import { isoTime } from '../frame/output.ts';

/** An alert of deploy/alerts finds this text, and shows the fields `project`, `contact`, `keyId` and `ends`. */
const ENDS_SOON = 'key ends soon';
/** The same for a record whose fields, named in `fields`, have wrong values. */
const WRONG_FIELDS = 'key record has wrong fields';

const USED_DAYS = 7;

/** @param use by key id @returns the lines, for the log's field `jsonPayload` */
export function linesAbout(
  keys: readonly StoredKey[],
  use: ReadonlyMap<string, KeyUse>,
  nowMs: number,
): object[] {
  const since = new Date(nowMs - USED_DAYS * DAY_MS).toISOString().slice(0, 10);
  // A key without figures may be in use.
  const isUsed = ({ id }: StoredKey): boolean => {
    const figures = use.get(id);
    return figures === undefined || (figures.lastUsedOn ?? '') >= since;
  };
  const lines = keys.flatMap((key) => {
    const { id: keyId, project, contact, faults } = key;
    const line = { severity: 'WARNING', keyId, project, contact };
    const fields = Object.keys(faults);
    const isFaulty = fields.length > 0 && shownState(key, nowMs) !== 'revoked';
    return [
      endsSoon(key, nowMs) &&
        isUsed(key) && { ...line, message: ENDS_SOON, ends: isoTime(key.expiresAt) },
      isFaulty && { ...line, message: WRONG_FIELDS, fields },
    ].filter((one) => one !== false);
  });
  // The job keeps the output of each day, and takes an empty one for a failure.
  return [...lines, { severity: 'INFO', message: 'keys checked', keys: keys.length }];
}
