// Demonstrates a lookup in each mode and a request for each error, over HTTP.

import { isDeepStrictEqual } from 'node:util';
import { runScript } from '../admin/terminal/failure.ts';
import { writeDemonstration } from './sandbox/demonstration.ts';
import { DEMONSTRATION } from './sandbox/demonstrationData.ts';
import { emulatedEndpoint } from './sandbox/emulatorAddresses.ts';
import { serveFunction } from './sandbox/servedFunction.ts';

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
  {
    title: 'By wallet: every attestation type, confirmed and pending',
    query: `wallet=${D.wallet}`,
    status: 200,
    expected: { ...ALICE, wallet: D.wallet },
  },
  {
    title: 'By wallet: a single pending attestation, which does not count',
    query: `wallet=${D.pendingWallet}`,
    status: 200,
    expected: { count: 1, hasVerifiedHuman: false, hasVoted: false, votedCount: 0 },
  },
  {
    title: 'By e-mail address: the same person, without the wallet',
    query: `email=${encodeURIComponent(D.email)}`,
    status: 200,
    expected: { ...ALICE, wallet: undefined },
  },
  {
    title: 'By verification token: the same person, without the wallet',
    query: `token=${D.token}`,
    status: 200,
    expected: { ...ALICE, wallet: undefined },
  },
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

const DATABASE_FAILS = refused('The database does not support the read', 500, 'internal', {
  query: `wallet=${D.wallet}`,
});

function refused(title: string, status: number, code: string, call: Partial<Call>): Call {
  return { ...call, title, status, expected: { code } };
}

/** Formats a body. Counts the entries of a list after the first `shown`. */
const formatBody = (body: Record<string, unknown>, shown: number): string =>
  JSON.stringify(
    body,
    (_, value: unknown) => {
      if (!Array.isArray(value) || value.length <= shown) return value;
      return [...value.slice(0, shown), `… and ${value.length - shown} more`];
    },
    2,
  );

/**
 * Makes a call and prints it with its response, in one write because the emulators print lines too.
 *
 * @param shown how many attestations are shown in full
 * @returns whether the response was as expected
 */
async function show(endpoint: string, call: Call, shown: number): Promise<boolean> {
  const { method = 'GET', path = '', query, key = D.key } = call;
  const target = `${path}${query ? `?${query}` : ''}`;
  const headers: Record<string, string> = key === null ? {} : { 'X-PoH-API-Key': key };
  const response = await fetch(`${endpoint}${target}`, { method, headers });
  const body = (await response.json()) as Record<string, unknown>;
  const isExpected =
    response.status === call.status &&
    Object.entries(call.expected).every(([field, value]) => isDeepStrictEqual(body[field], value));
  console.log(
    [
      `\n${isExpected ? '✔' : '✘'} ${response.status} ${call.title}`,
      `${method} …${target}`,
      ...(key === D.key ? [] : [key === null ? 'without a key' : `X-PoH-API-Key: ${key}`]),
      formatBody(body, shown),
      ...(isExpected ? [] : [`expected ${call.status} with ${JSON.stringify(call.expected)}`]),
    ].join('\n'),
  );
  return isExpected;
}

async function main(): Promise<number> {
  await writeDemonstration();
  console.log(`… means ${emulatedEndpoint()}
X-PoH-API-Key: ${D.key}, unless noted otherwise`);
  let passed = 0;
  for (const [index, call] of CALLS.entries()) {
    passed += Number(await show(emulatedEndpoint(), call, index === 0 ? 1 : 0));
  }

  const noDatabase = process.env['FIREBASE_AUTH_EMULATOR_HOST'] ?? '';
  const failing = await serveFunction({ FIRESTORE_EMULATOR_HOST: noDatabase });
  passed += Number(await show(failing.url.slice(0, -1), DATABASE_FAILS, 0));
  await failing.stop();

  const total = CALLS.length + 1;
  console.log(`\n${passed} of ${total} calls returned the expected response.`);
  if (passed === total) console.log('Next: run `npm start` to make your own calls.');
  return passed === total ? 0 : 1;
}

await runScript(main);
