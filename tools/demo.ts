// Demonstrates a lookup in each mode and a request for each error that a caller can cause, over HTTP.

import { isDeepStrictEqual } from 'node:util';
import { runScript } from '../admin/terminal/failure.ts';
import { writeDemonstration } from './sandbox/demonstration.ts';
import { DEMONSTRATION } from './sandbox/demonstrationData.ts';
import { EMULATED_ENDPOINT } from './sandbox/emulatorAddresses.ts';

interface Call {
  readonly title: string;
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  /** Sent as X-PoH-API-Key; null sends none. */
  readonly key?: string | null;
  readonly status: number;
  /** Expected fields of the response. */
  readonly expected: Readonly<Record<string, unknown>>;
}

const D = DEMONSTRATION;
const ALICE = {
  count: 7,
  hasVerifiedHuman: true,
  hasVoted: true,
  votedCount: 2,
  hasSupportedProposal: true,
  supportedCount: 1,
};

const CALLS: readonly Call[] = [
  found('By wallet: every attestation type, confirmed and pending', `wallet=${D.wallet}`, {
    ...ALICE,
    wallet: D.wallet,
  }),
  found(
    'By wallet: a single pending attestation, which does not count',
    `wallet=${D.pendingWallet}`,
    { count: 1, hasVerifiedHuman: false, hasVoted: false, votedCount: 0 },
  ),
  found(
    'By e-mail address: the same person, without the wallet',
    `email=${encodeURIComponent(D.email)}`,
    { ...ALICE, wallet: undefined },
  ),
  found('By verification token: the same person, without the wallet', `token=${D.token}`, {
    ...ALICE,
    wallet: undefined,
  }),
  refused('No subject', 400, 'missing_subject', { query: '' }),
  refused('A subject given twice', 400, 'repeated_parameter', {
    query: `wallet=${D.wallet}&wallet=${D.pendingWallet}`,
  }),
  refused('Not a wallet', 400, 'invalid_wallet', { query: 'wallet=0OIl' }),
  refused('No key', 401, 'unauthorized', { query: `wallet=${D.wallet}`, key: null }),
  refused('A revoked key', 401, 'unauthorized', { query: `wallet=${D.wallet}`, key: D.revokedKey }),
  refused('An unknown e-mail address', 404, 'email_not_found', { query: 'email=no@example.com' }),
  refused('A revoked token', 404, 'token_not_found', { query: `token=${D.revokedToken}` }),
  refused('An expired token', 404, 'token_not_found', { query: `token=${D.expiredToken}` }),
  refused('The retired gateway', 404, 'not_found', { path: '/api/v1/poh/group' }),
  refused('An unsupported method', 405, 'method_not_allowed', { method: 'POST' }),
];

function found(title: string, query: string, expected: Call['expected']): Call {
  return { title, query, status: 200, expected };
}

function refused(title: string, status: number, code: string, call: Partial<Call>): Call {
  return { ...call, title, status, expected: { code } };
}

/** Formats a body. Shows the first attestation, and counts the others. */
const formatBody = (body: Record<string, unknown>): string =>
  JSON.stringify(
    body,
    (_, value: unknown) =>
      Array.isArray(value) && value.length > 1
        ? [value[0], `… and ${value.length - 1} more`]
        : value,
    2,
  );

/**
 * Makes a call and prints it with its response, in one write because the emulators print lines too.
 *
 * @returns whether the response was as expected
 */
async function show(call: Call): Promise<boolean> {
  const { method = 'GET', path = '', query, key = D.key } = call;
  const target = `${path}${query ? `?${query}` : ''}`;
  const headers: Record<string, string> = key === null ? {} : { 'X-PoH-API-Key': key };
  const response = await fetch(`${EMULATED_ENDPOINT}${target}`, { method, headers });
  const body = (await response.json()) as Record<string, unknown>;
  const isExpected =
    response.status === call.status &&
    Object.entries(call.expected).every(([field, value]) => isDeepStrictEqual(body[field], value));
  console.log(
    [
      `\n${isExpected ? '✔' : '✘'} ${response.status} ${call.title}`,
      `${method} …${target}`,
      ...(key === D.key ? [] : [key === null ? 'without a key' : `X-PoH-API-Key: ${key}`]),
      formatBody(body),
      ...(isExpected ? [] : [`expected ${call.status} with ${JSON.stringify(call.expected)}`]),
    ].join('\n'),
  );
  return isExpected;
}

async function main(): Promise<number> {
  await writeDemonstration();
  console.log(`… means ${EMULATED_ENDPOINT}
X-PoH-API-Key: ${D.key}, unless noted otherwise`);
  let passed = 0;
  for (const call of CALLS) passed += Number(await show(call));
  const total = CALLS.length;
  console.log(`\n${passed} of ${total} calls returned the expected response.`);
  if (passed === total) console.log('Next: run `npm start` to make your own calls.');
  return passed === total ? 0 : 1;
}

await runScript(main);
