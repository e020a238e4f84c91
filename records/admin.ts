// The records of the users who may manage API keys in the admin area (specification, 5.3). Their ids
// are uids.

import { type Stored, storedText, storedTimeMs } from './storedValues.ts';

/** A stored admin. Times are in milliseconds since the epoch. */
export interface AdminRecord {
  readonly active: boolean;
  readonly email: string | undefined;
  readonly grantedAt: number | undefined;
}

/** Parses an admin's record. A hand-written record may have only `active`. Only `true` grants access. */
export const parseAdminRecord = (stored: Stored): AdminRecord => ({
  active: stored['active'] === true,
  email: storedText(stored['email']),
  grantedAt: storedTimeMs(stored['grantedAt']),
});

/** @param grantedAt a date, or the SDK's server timestamp */
export const newAdminRecord = <Time>(email: string, grantedAt: Time) => ({
  active: true,
  email,
  grantedAt,
});

/** The fields that revoking an admin changes in the record. */
export const ADMIN_REVOCATION = { active: false } as const;
