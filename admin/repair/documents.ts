// Reads and writes documents of the mirror through Firestore's REST API, which keeps every value exactly as stored.
// The SDK does not distinguish the double 4.0 from the integer 4.
// https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents

import { GoogleAuth, PassThroughClient } from 'google-auth-library';
import * as z from 'zod';
import type { MirrorDocument } from '../audit/mirror.ts';
import type { Target } from '../frame/target.ts';

/** For each field the type of its value, and the value. */
export const storedFields = z.record(z.string(), z.record(z.string(), z.unknown()));
export type StoredFields = z.infer<typeof storedFields>;

/** A document as stored. */
export interface StoredDocument {
  readonly path: string;
  readonly fields: StoredFields;
  /** The time of the last write, RFC 3339 with nanoseconds, by the database's clock. */
  readonly updateTime: string;
}

/** A write that Firestore refuses if the document is not as it was read: written since, or created since. */
type Write =
  | { readonly delete: StoredDocument }
  /** Writes the fields `only`, and keeps the others. */
  | { readonly update: StoredDocument; readonly only: StoredFields }
  | { readonly create: string; readonly fields: StoredFields };

const batch = z.array(
  z.object({
    found: z.object({ fields: storedFields.default({}), updateTime: z.string() }).optional(),
  }),
);
const refusal = z.object({
  response: z.object({ data: z.object({ error: z.object({ status: z.string() }) }) }),
});

const SCOPE = 'https://www.googleapis.com/auth/datastore';
/** The statuses with which Firestore refuses a write that conflicts with another. */
const CONFLICTS = ['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'NOT_FOUND', 'ABORTED'];

export interface Documents {
  /** @returns undefined if the document does not exist */
  readonly read: (path: string) => Promise<StoredDocument | undefined>;
  /** Makes all writes or none. @returns false if a document was written since it was read */
  readonly commit: (writes: readonly Write[]) => Promise<boolean>;
}

export function openDocuments({
  project,
  emulator,
}: Pick<Target, 'project' | 'emulator'>): Documents {
  const host = emulator ? `http://${emulator}` : 'https://firestore.googleapis.com';
  const root = `projects/${project}/databases/(default)/documents`;
  const auth = new GoogleAuth({ scopes: SCOPE });

  async function call(method: string, data: object): Promise<unknown> {
    const url = `${host}/v1/${root}:${method}`;
    const request = { url, method: 'POST', data } as const;
    if (!emulator) return (await auth.request(request)).data;
    const headers = { Authorization: 'Bearer owner' };
    return (await new PassThroughClient().request({ ...request, headers })).data;
  }

  return {
    async read(path) {
      const found = batch.parse(await call('batchGet', { documents: [`${root}/${path}`] }))[0]
        ?.found;
      return found && { path, ...found };
    },
    async commit(writes) {
      try {
        await call('commit', { writes: writes.map((write) => toRest(write, root)) });
        return true;
      } catch (error) {
        const status = refusal.safeParse(error).data?.response.data.error.status;
        if (status !== undefined && CONFLICTS.includes(status)) return false;
        throw error;
      }
    },
  };
}

function toRest(write: Write, root: string): object {
  if ('create' in write) {
    const update = { name: `${root}/${write.create}`, fields: write.fields };
    return { update, currentDocument: { exists: false } };
  }
  const { path, updateTime } = 'delete' in write ? write.delete : write.update;
  const name = `${root}/${path}`;
  const currentDocument = { updateTime };
  if ('delete' in write) return { delete: name, currentDocument };
  const updateMask = { fieldPaths: Object.keys(write.only) };
  return { update: { name, fields: write.only }, updateMask, currentDocument };
}

/** The document as the audit reads it: text, numbers and times as text, which are all that an attestation has. */
export const toMirrorDocument = ({ path, fields }: StoredDocument): MirrorDocument => ({
  path,
  fields: Object.fromEntries(
    Object.entries(fields).map(
      ([name, { stringValue, timestampValue, integerValue, doubleValue }]) => [
        name,
        stringValue ??
          timestampValue ??
          doubleValue ??
          (integerValue && Number(integerValue)) ??
          null,
      ],
    ),
  ),
});
