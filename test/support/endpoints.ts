// The built function in the Functions emulator and on its own server as in production, and its endpoint in this process.

import { inject } from 'vitest';
import { openAccounts } from '../../functions/src/google/authentication.ts';
import { openFirestore } from '../../functions/src/google/firestore.ts';
import { openGoogleAccount } from '../../functions/src/google/serviceAccount.ts';
import { createEndpoint, type EndpointDeps } from '../../functions/src/lookup.ts';
import { EMULATED_ENDPOINT } from '../../tools/sandbox/emulatorAddresses.ts';

export const servedUrl = inject('servedUrl');
export const ENDPOINTS = [
  ['the Functions emulator', EMULATED_ENDPOINT],
  ['its own server', servedUrl],
] as const;

/** Opens an endpoint that has admitted no key yet. @param change replaces what it uses */
export function openEndpoint(change: (deps: EndpointDeps) => Partial<EndpointDeps> = () => ({})) {
  const account = openGoogleAccount(process.env);
  const deps: EndpointDeps = {
    firestore: openFirestore(account, process.env['FIRESTORE_EMULATOR_HOST']),
    accounts: openAccounts(account, process.env['FIREBASE_AUTH_EMULATOR_HOST']),
    now: Date.now,
    log: () => undefined,
  };
  const endpoint = createEndpoint({ ...deps, ...change(deps) });
  return async (apiKey: string, query: string) => {
    const request = { method: 'GET', target: `/?${query}`, apiKey, requestId: 'test' };
    const { status, headers, body } = await endpoint(request);
    return { status, headers, json: JSON.parse(body) };
  };
}
