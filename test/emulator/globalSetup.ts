// Serves the built function once for the whole suite, beside the Functions emulator.

import type { TestProject } from 'vitest/node';
import { openEmulators } from '../../scripts/demonstration.ts';
import { serveFunction } from '../../scripts/servedFunction.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    servedUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  openEmulators();
  const served = await serveFunction();
  project.provide('servedUrl', served.url);
  return served.stop;
}
