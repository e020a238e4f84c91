// The state of the mirror, which the hourly job stores as `status/mirror` for everybody to read.

import { HOUR_MS } from './endpoint.ts';

export const MIRROR_STATUS = { collection: 'status', document: 'mirror' } as const;

/** The mirror has stopped if no document was synced in this many hours. */
export const SYNC_HOURS_MAX = 72;
/** The state itself is out of date if the job has not written it for longer. */
export const STATUS_HOURS_MAX = 2;

export type MirrorState = 'ok' | 'empty' | 'stopped';

/** @param syncedMs the latest `syncedAt` of all documents, in milliseconds; undefined if there is none */
export function mirrorStateAt(
  syncedMs: number | undefined,
  nowMs: number,
  syncHoursMax = SYNC_HOURS_MAX,
): MirrorState {
  if (syncedMs === undefined) return 'empty';
  return nowMs - syncedMs > syncHoursMax * HOUR_MS ? 'stopped' : 'ok';
}
