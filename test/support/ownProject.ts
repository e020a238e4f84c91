// A Firebase project of a test's own, for what reads or changes a whole collection: other tests write
// to the emulators' project meanwhile.

import { randomUUID } from 'node:crypto';
import { initializeApp } from 'firebase-admin/app';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';

export function openOwnProject(): { project: string; db: Firestore } {
  const project = `demo-${randomUUID()}`;
  return { project, db: getFirestore(initializeApp({ projectId: project }, project)) };
}
