// The two ways in which the built function is served: by the emulator and as in production.

import { inject } from 'vitest';
import { emulatedEndpoint } from '../../sandbox/emulatorAddresses.ts';

export const servedUrl = inject('servedUrl');
export const ENDPOINTS = [
  ['the Functions emulator', emulatedEndpoint()],
  ['functions-framework', servedUrl],
] as const;
