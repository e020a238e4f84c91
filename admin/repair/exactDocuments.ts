// Reads and writes documents in the form of Firestore's REST interface, which keeps every value as it is stored:
// the SDK does not distinguish the double 4.0 from the integer 4.
// https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents

import { GoogleAuth, PassThroughClient } from 'google-auth-library';
import * as z from 'zod';
import type { Target } from '../frame/target.ts';

/** Field by field the type of its value, and the value. */
export const storedFields = z.record(z.string(), z.record(z.string(), z.unknown()));
export type StoredFields = z.infer<typeof storedFields>;

const storedDocument = z.object({ fields: storedFields.default({}), updateTime: z.string() });
/** As it is stored; `updateTime` is by the database's clock, RFC 3339. */
export type StoredDocument = z.infer<typeof storedDocument>;

const batch = z.array(z.object({ found: storedDocument.optional() })).min(1);

const SCOPE = 'https://www.googleapis.com/auth/datastore';
const TIMEOUT_MS = 30_000;
/** The statuses with which Firestore refuses a write because of what another has written. */
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
  /** @returns undefined when there is none */
  readonly read: (path: string) => Promise<StoredDocument | undefined>;
  /** @returns false when there is one already */
  readonly create: (path: string, fields: StoredFields) => Promise<boolean>;
  /** Writes these fields only. @returns false when the document was written after `updateTime` */
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

  /** @returns false when a precondition of the write fails */
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

/** As in `ABORTED`. */
const statusOf = (error: unknown): string | undefined =>
  refusal.safeParse(error).data?.response.data.error.status;
