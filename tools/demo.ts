// Demonstrates a lookup in each mode, and a request for each error that `smoke` causes, over HTTP.

import { type Check, checksWith } from '../cli/smoke/checks.ts';
import { runScript } from '../cli/terminal/failure.ts';
import { writeDemonstration } from './sandbox/demonstration.ts';
import { DEMONSTRATION as D } from './sandbox/demonstrationData.ts';
import { EMULATED_ENDPOINT } from './sandbox/emulatorAddresses.ts';

type Call = Pick<Check, 'name' | 'target'> & Partial<Pick<Check, 'method' | 'key' | 'expected'>>;

const LOOKUPS: readonly Call[] = [
  {
    name: 'By wallet: every attestation type, confirmed and pending',
    target: `?wallet=${D.wallet}`,
  },
  {
    name: 'By wallet: a single pending attestation, which does not count',
    target: `?wallet=${D.pendingWallet}`,
  },
  {
    name: 'By e-mail address: the first person, without the wallet',
    target: `?email=${encodeURIComponent(D.email)}`,
  },
  { name: 'By verification token: the first person again', target: `?token=${D.token}` },
];

/** The Functions emulator responds to OPTIONS itself, and HEAD has no body. */
const ERRORS = checksWith(D.key).filter(
  ({ expected, method }) => expected !== 'ok' && (method === 'GET' || method === 'POST'),
);

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
async function show({ name, method = 'GET', target, key, expected = 'ok' }: Call) {
  const headers: Record<string, string> = key === undefined ? {} : { 'X-PoH-API-Key': key };
  const response = await fetch(EMULATED_ENDPOINT + target, { method, headers });
  const body = (await response.json()) as Record<string, unknown>;
  const isExpected = expected === 'ok' ? response.status === 200 : body['code'] === expected;
  console.log(
    [
      `\n${isExpected ? '✔' : '✘'} ${response.status} ${name}`,
      `${method} …${target}`,
      ...(key === D.key ? [] : [key === undefined ? 'without a key' : `X-PoH-API-Key: ${key}`]),
      formatBody(body),
    ].join('\n'),
  );
  return isExpected;
}

await runScript(async () => {
  await writeDemonstration();
  console.log(`… means ${EMULATED_ENDPOINT}
X-PoH-API-Key: ${D.key}, unless noted otherwise`);
  const calls = [...LOOKUPS.map((call) => ({ ...call, key: D.key })), ...ERRORS];
  let passed = 0;
  for (const call of calls) passed += Number(await show(call));
  console.log(`\n${passed} of ${calls.length} calls returned the expected response.`);
  if (passed === calls.length) console.log('Next: run `npm start` to make your own calls.');
  return passed === calls.length ? 0 : 1;
});
