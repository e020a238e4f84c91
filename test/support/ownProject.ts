// Opens a separate Firebase project for tests that read or change a whole collection, because other tests
// write to the emulators' project at the same time.

import { randomUUID } from 'node:crypto';
import { initializeApp } from 'firebase-admin/app';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';

export function openOwnProject(): { project: string; db: Firestore } {
  const project = `demo-${randomUUID()}`;
  return { project, db: getFirestore(initializeApp({ projectId: project }, project)) };
}
