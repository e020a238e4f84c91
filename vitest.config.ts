import { defineConfig } from 'vitest/config';

const UNIT = 'test/**/*.unit.test.ts';
/** They install packages from the npm registry. */
const GUIDE = 'test/guide/**/*.test.ts';
/** They run gcloud and firebase-tools for minutes, and npm against the registry. */
const DEPLOY = 'test/deploy/{apply,firebase,installed}.test.ts';

/** `npm run soak` sets it: the full amounts take up to half an hour a test. */
const timeoutMs = process.env['LONG_RUN'] ? 30 * 60_000 : 60_000;
const againstEmulators = {
  // Loading what the files import would take longer than most of them run.
  isolate: false,
  globalSetup: 'test/support/globalSetup.ts',
  testTimeout: timeoutMs,
  hookTimeout: timeoutMs,
  // The waits of concurrent tests are idle.
  maxConcurrency: 16,
  // Browsers and time-outs on a busy machine: a test that fails twice is broken. It is repeated in CI only, and reported.
  retry: process.env['CI'] ? 1 : 0,
};

export default defineConfig({
  test: {
    // For two cores: some files mostly wait.
    maxWorkers: 3,
    coverage: {
      include: ['functions/src/**', 'records/**', 'admin/**'],
      reporter: ['text-summary'],
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: [UNIT],
          isolate: false,
          // `npm test` runs them beside the emulators, which they do not use.
          env: { FIRESTORE_EMULATOR_HOST: '', FIREBASE_AUTH_EMULATOR_HOST: '' },
        },
      },
      {
        test: {
          name: 'emulator',
          include: ['test/**/*.test.ts'],
          exclude: [UNIT, GUIDE, DEPLOY],
          ...againstEmulators,
        },
      },
      { test: { name: 'guide', include: [GUIDE], ...againstEmulators } },
      { test: { name: 'deploy', include: [DEPLOY], ...againstEmulators } },
    ],
  },
});
