import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { findGoogleAccount } from '../../functions/src/google/account.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const keyFile = join(temporaryFolder(), 'key.json');
const key = { client_email: 'a@b', private_key: 'unread', project_id: 'of-the-key-file' };
writeFileSync(keyFile, JSON.stringify({ type: 'service_account', ...key }));

const UNSET = {
  FIREBASE_CONFIG: '',
  GOOGLE_CLOUD_PROJECT: '',
  GCLOUD_PROJECT: '',
  GOOGLE_APPLICATION_CREDENTIALS: '',
  METADATA_SERVER_DETECTION: 'none',
  // Hides the Google Cloud CLI.
  PATH: '',
};

afterEach(() => void vi.unstubAllEnvs());

test.each([
  { env: { FIREBASE_CONFIG: '{"projectId":"a"}', GCLOUD_PROJECT: 'b' }, project: 'a' },
  { env: { FIREBASE_CONFIG: '{}', GCLOUD_PROJECT: 'b' }, project: 'b' },
  { env: { FIREBASE_CONFIG: 'config.json', GCLOUD_PROJECT: 'b' }, project: 'b' },
  { env: { GOOGLE_CLOUD_PROJECT: 'a', GCLOUD_PROJECT: 'b' }, project: 'a' },
  { env: { GOOGLE_CLOUD_PROJECT: '', GCLOUD_PROJECT: 'b' }, project: 'b' },
  { env: { GOOGLE_APPLICATION_CREDENTIALS: keyFile }, project: 'of-the-key-file' },
])('$env selects project $project', async ({ env, project }) => {
  const all = { ...UNSET, ...env };
  // Google's library reads the environment of the process.
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  expect((await findGoogleAccount(all)).projectId).toBe(project);
});

test('the error for an unknown project names the variable to set', async () => {
  for (const [name, value] of Object.entries(UNSET)) vi.stubEnv(name, value);
  await expect(findGoogleAccount({})).rejects.toThrow('set GOOGLE_CLOUD_PROJECT');
  // An unreadable key file may be the cause.
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '/nowhere.json');
  await expect(findGoogleAccount({})).rejects.toThrow('/nowhere.json');
});
