// Makes each lookup of the test subjects over HTTP, and prints it with its response.

import { runScript } from '../cli/terminal/failure.ts';
import { DEMONSTRATION } from '../contract/examples.ts';
import { writeDemonstration } from './sandbox/demonstration.ts';
import { EMULATED_ENDPOINT } from './sandbox/emulatorAddresses.ts';
import { TEST_SUBJECTS, type TestSubject } from './sandbox/testSubjects.ts';

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

/** @returns whether the response was as expected */
async function show({ what, send, status, returns, key }: TestSubject): Promise<boolean> {
  const query = `?${new URLSearchParams(send)}`;
  const headers = { 'X-PoH-API-Key': key ?? DEMONSTRATION.key };
  const response = await fetch(EMULATED_ENDPOINT + query, { headers });
  const body = (await response.json()) as Record<string, unknown>;
  const isExpected =
    response.status === status &&
    Object.entries(returns).every(([name, value]) => body[name] === value);
  console.log(
    [
      `\n${isExpected ? '✔' : '✘'} ${response.status} ${what}`,
      `GET …${query}${key === undefined ? '' : `, X-PoH-API-Key: ${key}`}`,
      formatBody(body),
    ].join('\n'),
  );
  return isExpected;
}

await runScript(async () => {
  await writeDemonstration();
  console.log(`… means ${EMULATED_ENDPOINT}
X-PoH-API-Key: ${DEMONSTRATION.key}, unless noted otherwise`);
  let passed = 0;
  for (const subject of TEST_SUBJECTS) passed += Number(await show(subject));
  console.log(`\n${passed} of ${TEST_SUBJECTS.length} calls returned the expected response.`);
  if (passed === TEST_SUBJECTS.length) console.log('Next: run `npm start` to make your own calls.');
  return passed === TEST_SUBJECTS.length ? 0 : 1;
});
