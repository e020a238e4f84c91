// The two servers of the built function: the Functions emulator, and functions-framework as in production.

import { inject } from 'vitest';
import { EMULATED_ENDPOINT } from '../../tools/sandbox/emulatorAddresses.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    servedUrl: string;
  }
}

export const servedUrl = inject('servedUrl');
export const ENDPOINTS = [
  ['the Functions emulator', EMULATED_ENDPOINT],
  ['functions-framework', servedUrl],
] as const;
