// Who may manage API keys in the admin area (specification, 5.3): the record under the user's uid.

import * as z from 'zod';
import { storedTime } from './storedTime.ts';

/** A stored admin. A record written by hand may have `active` alone; only `true` admits. */
export const adminRecordSchema = z.object({
  active: z
    .unknown()
    .optional()
    .transform((active) => active === true),
  email: z.string().optional().catch(undefined),
  grantedAt: storedTime.optional().catch(undefined),
});

/** @param grantedAt a date, or the SDK's server timestamp */
export const newAdminRecord = <Time>(email: string, grantedAt: Time) => ({
  active: true,
  email,
  grantedAt,
});

/** The fields that revoking an admin changes in the record. */
export const ADMIN_REVOCATION = { active: false } as const;
