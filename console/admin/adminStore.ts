// Reads the admins from the database, as firestore.rules allows admins to.

import { collection, type Firestore, getDocs } from 'firebase/firestore/lite';
import { parseAdminRecord } from '../../records/admin.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { withTimeout } from '../problems.ts';

/** Reads the e-mail address of each admin, including revoked ones, by uid. */
export async function readAdminEmails(db: Firestore): Promise<ReadonlyMap<string, string>> {
  const { docs } = await withTimeout(getDocs(collection(db, COLLECTIONS.admins)));
  return new Map(
    docs.flatMap((record) => {
      const { email } = parseAdminRecord(record.data());
      return email === undefined ? [] : [[record.id, email] as const];
    }),
  );
}
