// Demonstrates a lookup in each mode, and a request for each error that `smoke` causes, over HTTP.

import { isDeepStrictEqual } from 'node:util';
import { checksWith } from '../admin/smoke/checks.ts';
import { runScript } from '../admin/terminal/failure.ts';
import { ERRORS } from '../functions/src/errors.ts';
import { writeDemonstration } from './sandbox/demonstration.ts';
import { DEMONSTRATION } from './sandbox/demonstrationData.ts';
import { EMULATED_ENDPOINT } from './sandbox/emulatorAddresses.ts';

interface Call {
  readonly title: string;
  readonly method: string;
  readonly target: string;
  readonly key: string | undefined;
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

const lookup = (title: string, target: string, expected: Call['expected']): Call => ({
  title,
  method: 'GET',
  target,
  key: D.key,
  status: 200,
  expected,
});

const CALLS: readonly Call[] = [
  lookup('By wallet: every attestation type, confirmed and pending', `?wallet=${D.wallet}`, {
    ...ALICE,
    wallet: D.wallet,
  }),
  lookup(
    'By wallet: a single pending attestation, which does not count',
    `?wallet=${D.pendingWallet}`,
    { count: 1, hasVerifiedHuman: false, hasVoted: false, votedCount: 0 },
  ),
  lookup(
    'By e-mail address: the same person, without the wallet',
    `?email=${encodeURIComponent(D.email)}`,
    { ...ALICE, wallet: undefined },
  ),
  lookup('By verification token: the same person, without the wallet', `?token=${D.token}`, {
    ...ALICE,
    wallet: undefined,
  }),
  ...checksWith(D.key).flatMap(({ name, method, target, key, expected: code }) =>
    // The Functions emulator responds to OPTIONS itself, and HEAD has no body.
    code === 'ok' || method === 'OPTIONS' || method === 'HEAD'
      ? []
      : { title: name, method, target, key, status: ERRORS[code].status, expected: { code } },
  ),
];

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
  const { title, method, target, key, status, expected } = call;
  const headers: Record<string, string> = key === undefined ? {} : { 'X-PoH-API-Key': key };
  const response = await fetch(EMULATED_ENDPOINT + target, { method, headers });
  const body = (await response.json()) as Record<string, unknown>;
  const isExpected =
    response.status === status &&
    Object.entries(expected).every(([field, value]) => isDeepStrictEqual(body[field], value));
  console.log(
    [
      `\n${isExpected ? '✔' : '✘'} ${response.status} ${title}`,
      `${method} …${target}`,
      ...(key === D.key ? [] : [key === undefined ? 'without a key' : `X-PoH-API-Key: ${key}`]),
      formatBody(body),
      ...(isExpected ? [] : [`expected ${status} with ${JSON.stringify(expected)}`]),
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
