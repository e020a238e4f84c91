import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/**/*.unit.test.ts'] } },
      {
        test: {
          name: 'emulator',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.unit.test.ts'],
          globalSetup: 'test/support/globalSetup.ts',
          // The Functions emulator starts one process for every concurrent request.
          fileParallelism: false,
          // The waits of concurrent tests are idle.
          maxConcurrency: 16,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
