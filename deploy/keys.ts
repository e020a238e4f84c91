// The API keys of the deployment itself, for smoke, the uptime checks and the job's canary. They are stored on this machine,
// for its user only, and never shown.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { MODES } from '../contract/endpoint.ts';
import { hashApiKey, keyId } from '../records/apiKey.ts';
import { newApiKey } from '../records/apiKeyText.ts';
import { newKeyRecord } from '../records/keyChanges.ts';
import { COLLECTIONS } from '../records/storedValues.ts';
import type { Google, Json, Outside } from './google.ts';

const USES = {
  smoke: { title: 'Smoke test', modes: MODES },
  uptime: { title: 'Uptime check', modes: ['wallet', 'email'] },
  canary: { title: 'Canary', modes: ['token'] },
} as const;
type Use = keyof typeof USES;

export const keyFile = ({ keys }: Outside['folders'], project: string, use: Use): string =>
  join(keys, project, `${use}-key`);

/** The stored key, if there is one. */
export function storedKey(folders: Outside['folders'], project: string, use: Use) {
  const file = keyFile(folders, project, use);
  if (!existsSync(file)) return undefined;
  const key = readFileSync(file, 'utf8').trim();
  return { key, id: keyId(hashApiKey(key)) };
}

function storeNewKey(folders: Outside['folders'], project: string, use: Use): string {
  const key = newApiKey(randomBytes);
  const file = keyFile(folders, project, use);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}

/** A value as Firestore's REST interface writes it. */
const firestoreValue = (value: unknown): object => {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(firestoreValue) } };
  if (value instanceof Date) return { timestampValue: value };
  return typeof value === 'boolean' ? { booleanValue: value } : { stringValue: value };
};

const DATABASE = 'firestore/v1/databases/(default)';
const nameOf = (google: Google, key: string): string =>
  `projects/${google.project}/databases/(default)/documents/${COLLECTIONS.apiKeys}/${hashApiKey(key)}`;

/** Writes the record of a key, or deletes it. */
export async function writeKey(google: Google, key: string, record?: object): Promise<void> {
  const name = nameOf(google, key);
  const fields = Object.entries(record ?? {}).filter(([, value]) => value !== undefined);
  const update = {
    name,
    fields: Object.fromEntries(fields.map(([field, value]) => [field, firestoreValue(value)])),
  };
  const updateTransforms = [{ fieldPath: 'createdAt', setToServerValue: 'REQUEST_TIME' }];
  const write = record ? { update, updateTransforms } : { delete: name };
  await google.patiently(() =>
    google.change('POST', `${DATABASE}/documents:commit`, { writes: [write] }),
  );
}

const activeSchema = z.object({
  fields: z.object({ active: z.object({ booleanValue: z.literal(true) }) }),
});
const readRecord = (google: Google, key: string): Promise<Json | undefined> =>
  google.patiently(() => google.request('GET', google.named(DATABASE, nameOf(google, key))));

/** Whether this machine has a key that does not work, for example because somebody has revoked it. */
export async function isUnusable(google: Google, use: Use): Promise<boolean> {
  const stored = storedKey(google.outside.folders, google.project, use);
  return (
    stored !== undefined && !activeSchema.safeParse(await readRecord(google, stored.key)).success
  );
}

/**
 * Makes sure that there is a key, and that it works. The key is stored before its record, so an interruption makes no second.
 *
 * @returns the words of the table about it
 */
export async function ensureKey(google: Google, use: Use): Promise<Record<string, string>> {
  const { folders } = google.outside;
  const { project } = google;
  const { title, modes } = USES[use];
  for (let key = storedKey(folders, project, use)?.key ?? storeNewKey(folders, project, use); ; ) {
    const record = await readRecord(google, key);
    if (activeSchema.safeParse(record).success)
      return { [`${use}Key`]: key, [`${use}KeyId`]: keyId(hashApiKey(key)) };
    // Somebody has revoked it.
    if (record) key = storeNewKey(folders, project, use);
    const stored = newKeyRecord(key, title, undefined, 'npm run deploy', { modes });
    if (!record) await writeKey(google, key, stored);
  }
}
