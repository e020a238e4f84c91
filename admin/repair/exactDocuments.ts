// Reads and writes documents through Firestore's REST API, which keeps every value exactly as stored.
// The SDK does not distinguish the double 4.0 from the integer 4.
// https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents

import { GoogleAuth, PassThroughClient } from 'google-auth-library';
import * as z from 'zod';
import type { Target } from '../frame/target.ts';

/** For each field the type of its value, and the value. */
export const storedFields = z.record(z.string(), z.record(z.string(), z.unknown()));
export type StoredFields = z.infer<typeof storedFields>;

const storedDocument = z.object({ fields: storedFields.default({}), updateTime: z.string() });
/** A document as stored; `updateTime` is RFC 3339, by the database's clock. */
export type StoredDocument = z.infer<typeof storedDocument>;

const batch = z.array(z.object({ found: storedDocument.optional() })).min(1);

const SCOPE = 'https://www.googleapis.com/auth/datastore';
const TIMEOUT_MS = 30_000;
/** The statuses with which Firestore refuses a write that conflicts with another. */
const CONFLICTS: readonly unknown[] = [
  'ALREADY_EXISTS',
  'FAILED_PRECONDITION',
  'NOT_FOUND',
  'ABORTED',
];
const refusal = z.object({
  response: z.object({ data: z.object({ error: z.object({ status: z.string() }) }) }),
});

export interface ExactDocuments {
  /** @returns undefined if the document does not exist */
  readonly read: (path: string) => Promise<StoredDocument | undefined>;
  /** @returns false if the document already exists */
  readonly create: (path: string, fields: StoredFields) => Promise<boolean>;
  /** Writes only these fields. @returns false if the document was written after `updateTime` */
  readonly update: (path: string, fields: StoredFields, updateTime: string) => Promise<boolean>;
}

export function exactDocuments({ project, emulator }: Target): ExactDocuments {
  const host = emulator ? `http://${emulator}` : 'https://firestore.googleapis.com';
  const documents = `projects/${project}/databases/(default)/documents`;
  const auth = new GoogleAuth({ scopes: SCOPE });

  async function call(method: string, data: object): Promise<unknown> {
    const url = `${host}/v1/${documents}:${method}`;
    const request = { url, method: 'POST', data, signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
    if (!emulator) return (await auth.request(request)).data;
    const headers = { Authorization: 'Bearer owner' };
    return (await new PassThroughClient().request({ ...request, headers })).data;
  }

  /** @returns false if a precondition of the write fails */
  async function commit(write: object): Promise<boolean> {
    try {
      await call('commit', { writes: [write] });
      return true;
    } catch (error) {
      if (CONFLICTS.includes(statusOf(error))) return false;
      throw error;
    }
  }

  return {
    async read(path) {
      const names = { documents: [`${documents}/${path}`] };
      return batch.parse(await call('batchGet', names))[0]?.found;
    },
    create: (path, fields) =>
      commit({
        update: { name: `${documents}/${path}`, fields },
        currentDocument: { exists: false },
      }),
    update: (path, fields, updateTime) =>
      commit({
        update: { name: `${documents}/${path}`, fields },
        updateMask: { fieldPaths: Object.keys(fields) },
        currentDocument: { updateTime },
      }),
  };
}

/** The status of an error, such as `ABORTED`. */
const statusOf = (error: unknown): string | undefined =>
  refusal.safeParse(error).data?.response.data.error.status;
