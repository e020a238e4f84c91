// The records of the users who may manage API keys in the admin area (specification, 5.3). Their ids
// are uids.

import { type Stored, storedText, storedTimeMs } from './storedValues.ts';

/** Parses an admin's record. A hand-written record may have only `active`. Only `true` grants access. */
export const parseAdminRecord = (stored: Stored) => ({
  active: stored['active'] === true,
  email: storedText(stored['email']),
  grantedAt: storedTimeMs(stored['grantedAt']),
  /** The provider by which this admin must sign in, such as `google.com`. Undefined if any will do. */
  signIn: storedText(stored['signIn']),
});
export type AdminRecord = Readonly<ReturnType<typeof parseAdminRecord>>;

/** @param grantedAt a date, or the SDK's server timestamp */
export const newAdminRecord = <Time>(email: string, grantedAt: Time) => ({
  active: true,
  email,
  grantedAt,
});

/** The fields that revoking an admin changes in the record. */
export const ADMIN_REVOCATION = { active: false } as const;
