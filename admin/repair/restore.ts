// Puts documents back from the file of a repair, as far as they are still as the repair left them.

import type { Firestore } from 'firebase-admin/firestore';
import type { Saved } from './backup.ts';
import { readDocument, writeUnlessChanged } from './document.ts';
import { decodeFields, encodeFields, type StoredFields } from './storedFields.ts';

/** The outcome of a line: restored, unchanged, or left for a reason. */
export type Restoration = { readonly done: 'restored' | 'unchanged' } | { readonly left: string };

const NEWER = 'it was written since, and the newer write stays';

/**
 * Restores one document, or only says what it would do.
 *
 * @param apply false: nothing is written
 */
export async function restoreDocument(
  db: Firestore,
  { document: path, change, fields }: Saved,
  apply: boolean,
): Promise<Restoration> {
  const present = await readDocument(db, path);
  const current = present && encodeFields(present.fields);
  if (isSame(current, fields)) return { done: 'unchanged' };
  if (change === 'delete' ? present : !isSame(current, confirmed(fields))) return { left: NEWER };
  if (!apply) return { done: 'restored' };

  const before = decodeFields(fields);
  const isRestored = await writeUnlessChanged(async () => {
    if (!present) await db.doc(path).create(before);
    else {
      const { reference, updateTime: lastUpdateTime } = present;
      await reference.update({ status: before['status'] }, { lastUpdateTime });
    }
    return true;
  });
  return isRestored ? { done: 'restored' } : { left: NEWER };
}

/** The fields as a repair leaves a document that it confirms. */
const confirmed = (fields: StoredFields): StoredFields => ({
  ...fields,
  status: { stringValue: 'confirmed' },
});

const isSame = (a: StoredFields | undefined, b: StoredFields): boolean =>
  a !== undefined && JSON.stringify(a) === JSON.stringify(b);
