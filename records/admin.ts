// Who may manage API keys in the admin area (specification, 5.3): the record under the user's uid.

import { type Stored, storedText, storedTimeMs } from './storedValues.ts';

/** A stored admin; times in milliseconds since the epoch. */
export interface AdminRecord {
  readonly active: boolean;
  readonly email: string | undefined;
  readonly grantedAt: number | undefined;
}

/** Parses an admin's record. One written by hand may have `active` alone; only `true` admits. */
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
