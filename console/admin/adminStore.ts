// The other admins in the database, as firestore.rules let an admin read them.

import { collection, type Firestore, getDocs } from 'firebase/firestore/lite';
import { parseAdminRecord } from '../../records/admin.ts';
import { COLLECTIONS } from '../../records/collections.ts';
import { inTime } from '../problems.ts';

/** Reads the e-mail address of each admin, those who were revoked too, by uid. */
export async function readAdminEmails(db: Firestore): Promise<ReadonlyMap<string, string>> {
  const { docs } = await inTime(getDocs(collection(db, COLLECTIONS.admins)));
  return new Map(
    docs.flatMap((record) => {
      const { email } = parseAdminRecord(record.data());
      return email === undefined ? [] : [[record.id, email] as const];
    }),
  );
}
