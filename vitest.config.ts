import { defineConfig } from 'vitest/config';

const UNIT = 'test/**/*.unit.test.ts';
/** These tests install packages from the npm registry, or take gcloud's parser half a minute. */
const GUIDE = 'test/guide/**/*.test.ts';
const DEPLOY = 'test/deploy/**/*.test.ts';

/** `npm run soak` sets LONG_RUN, with which a test takes up to half an hour. */
const timeoutMs = process.env['LONG_RUN'] ? 30 * 60_000 : 5 * 60_000;
/** Three times the longest promise, so that a busy machine does not matter, and a test that waits in vain says so soon. */
const expect = { poll: { timeout: 30_000 } };
const againstEmulators = {
  // Loading the imports again for each file would take longer than running most files.
  isolate: false,
  globalSetup: 'test/support/globalSetup.ts',
  testTimeout: timeoutMs,
  hookTimeout: timeoutMs,
  // Concurrent tests mostly wait.
  maxConcurrency: 16,
  expect,
};

export default defineConfig({
  test: {
    // More than twice the two cores, because many files mostly wait. Each takes seconds to load its imports.
    maxWorkers: 5,
    coverage: {
      include: ['contract/**', 'functions/src/**', 'records/**', 'cli/**'],
      reporter: ['text-summary'],
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: [UNIT],
          isolate: false,
          testTimeout: timeoutMs,
          expect,
          // `npm test` sets the variables of the emulators and their function, which unit tests must not use.
          env: {
            FIRESTORE_EMULATOR_HOST: '',
            FIREBASE_AUTH_EMULATOR_HOST: '',
            RESPONSE_SIGNING_KEY: '',
            // Here a day in UTC that is shown in local time is another one.
            TZ: 'America/Los_Angeles',
            // Many tests start processes, which load the same modules.
            NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/node`,
          },
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
      {
        test: {
          name: 'deploy',
          include: [DEPLOY],
          exclude: [UNIT],
          ...againstEmulators,
        },
      },
    ],
  },
});
