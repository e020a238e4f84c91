import { expect, test } from 'vitest';
import { openGoogleAccount } from '../../functions/src/google/account.ts';

test.each([
  { env: { FIREBASE_CONFIG: '{"projectId":"a"}', GCLOUD_PROJECT: 'b' }, project: 'a' },
  { env: { FIREBASE_CONFIG: '{}', GCLOUD_PROJECT: 'b' }, project: 'b' },
  { env: { FIREBASE_CONFIG: 'config.json', GCLOUD_PROJECT: 'b' }, project: 'b' },
  { env: { GOOGLE_CLOUD_PROJECT: 'a', GCLOUD_PROJECT: 'b' }, project: 'a' },
  { env: { GOOGLE_CLOUD_PROJECT: '', GCLOUD_PROJECT: 'b' }, project: 'b' },
])('$env selects project $project', ({ env, project }) => {
  expect(openGoogleAccount(env).projectId).toBe(project);
});

test('the error for an unknown project names the variable to set', () => {
  expect(() => openGoogleAccount({})).toThrow('set GOOGLE_CLOUD_PROJECT');
});
