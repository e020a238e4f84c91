// The API keys of the deployment itself, for smoke, the uptime checks and the job's canary. They are stored on this machine,
// for its user only, and never shown.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Mode } from '../contract/endpoint.ts';
import { hashApiKey, keyId } from '../records/apiKey.ts';
import { newApiKey } from '../records/apiKeyText.ts';
import { newKeyRecord } from '../records/keyChanges.ts';
import { COLLECTIONS } from '../records/storedValues.ts';
import type { Google, Outside } from './google.ts';

const recordSchema = z.object({
  fields: z.object({ active: z.object({ booleanValue: z.literal(true) }) }),
});
const TITLES = { smoke: 'Smoke test', uptime: 'Uptime check', canary: 'Canary' };
type Use = keyof typeof TITLES;
export const keyFile = ({ keys }: Outside['folders'], project: string, use: Use): string =>
  join(keys, project, `${use}-key`);

/** The stored key, if there is one. */
export function storedKey(
  folders: Outside['folders'],
  project: string,
  use: Use,
): { key: string; id: string } | undefined {
  const file = keyFile(folders, project, use);
  if (!existsSync(file)) return undefined;
  const key = readFileSync(file, 'utf8').trim();
  return { key, id: keyId(hashApiKey(key)) };
}

function store(folders: Outside['folders'], project: string, use: Use): string {
  const key = newApiKey(randomBytes);
  const file = keyFile(folders, project, use);
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}

const firestoreValue = (value: unknown): object => {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(firestoreValue) } };
  return typeof value === 'boolean' ? { booleanValue: value } : { stringValue: String(value) };
};

/** Makes sure that there is a key, and that it works. The key is stored before its record, so an interruption makes no second. */
export async function ensureKey(google: Google, use: Use, modes: readonly Mode[]) {
  const {
    project,
    outside: { folders },
  } = google;
  const database = `projects/${project}/databases/(default)`;
  const base = 'https://firestore.googleapis.com/v1';
  for (let key = storedKey(folders, project, use)?.key ?? store(folders, project, use); ; ) {
    const hash = hashApiKey(key);
    const name = `${database}/documents/${COLLECTIONS.apiKeys}/${hash}`;
    const record = await google.patiently(() => google.request('GET', `${base}/${name}`));
    if (recordSchema.safeParse(record).success) return { key, id: keyId(hash) };
    // Somebody has revoked it.
    if (record) key = store(folders, project, use);
    const stored = newKeyRecord(key, TITLES[use], undefined, 'npm run deploy', { modes });
    const fields = Object.entries(stored).filter(([, value]) => value !== undefined);
    const write = {
      update: {
        name,
        fields: Object.fromEntries(fields.map(([field, value]) => [field, firestoreValue(value)])),
      },
      updateTransforms: [{ fieldPath: 'createdAt', setToServerValue: 'REQUEST_TIME' }],
    };
    if (!record)
      await google.patiently(() =>
        google.change('POST', `${base}/${database}/documents:commit`, { writes: [write] }),
      );
  }
}
