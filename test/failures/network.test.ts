// A network and services that fail under a deployed function, with requests all the time: every request has its response in
// time, none fails that could have succeeded, and once the fault is over none fails at all.

import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, test } from 'vitest';
import { LONG_RUN } from '../support/amount.ts';
import { loggedEntries } from '../support/log.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { FAULTS, type LastingFault, LONG_FAULTS } from './networkFaults.ts';
import { type Answer, deploy, PROMISED_MS, RECOVERED_MS, startStream } from './steadyStream.ts';

/** How many requests are responded to before a fault, and how many that begin after it. */
const BEFORE = 2;
const AFTER = 8;

let key: string;
let token: string;
let email: string;

beforeAll(async () => {
  key = await seedKey();
  const wallet = await seedWallet({ attestationType: 0 });
  token = await seedToken(wallet);
  email = await seedAccount({ wallet });
});

const statusesOf = (answers: readonly Answer[]): number[] => [
  ...new Set(answers.map(({ status }) => status)),
];

/** @returns the time from the end of the fault to the first 200 */
const recoveryOf = (answers: readonly Answer[], endedAt: number): number =>
  Math.min(
    ...answers
      .filter(({ at, ms, status }) => status === 200 && at + ms > endedAt)
      .map(({ at, ms }) => at + ms - endedAt),
  );

const slowest = (answers: readonly Answer[]): number =>
  Math.round(Math.max(...answers.map(({ ms }) => ms)));

function describeFault(
  { name, seconds }: LastingFault,
  during: readonly Answer[],
  after: readonly Answer[],
  recoveredMs: number,
): string {
  const failed = during.filter(({ status }) => status === 500).length;
  return (
    `${name} for ${seconds} s: ${failed} of ${during.length} failed, slowest ${slowest(during)} ms; ` +
    `then ${after.length} succeeded, slowest ${slowest(after)} ms, the first after ${Math.round(recoveredMs)} ms`
  );
}

describe.concurrent('under steady requests', () => {
  test.for([...FAULTS, ...(LONG_RUN ? LONG_FAULTS : [])])(
    '$name for $seconds s',
    { timeout: 180_000 },
    async (fault, { expect }) => {
      const deployed = await deploy(key, fault.prepare);
      const target = fault.byEmail ? `?email=${email}` : `?token=${token}`;
      await deployed.status(target);
      const stream = startStream(() => deployed.status(target));
      // Wallets and tokens need no Authentication.
      const others = fault.byEmail && startStream(() => deployed.status(`?token=${token}`));
      await stream.answered(BEFORE);

      const end = await fault.begin(deployed);
      const beganAt = stream.now();
      await pause(fault.seconds * 1_000);
      await end();
      const endedAt = stream.now();
      await stream.answered(AFTER);
      const answers = await stream.stop();
      if (others) expect(statusesOf(await others.stop())).toEqual([200]);
      const { google, served } = deployed;
      const { network } = google[fault.byEmail ? 'accounts' : 'firestore'];
      await expect.poll(() => network.lost, { timeout: PROMISED_MS }).toBe(0);
      await deployed.stop();
      fault.cleanUp?.();

      const during = answers.filter(({ at }) => at < endedAt);
      const after = answers.filter(({ at }) => at >= endedAt);
      const recoveredMs = recoveryOf(answers, endedAt);
      if (LONG_RUN) console.log(describeFault(fault, during, after, recoveredMs));
      expect(statusesOf(answers.filter(({ at, ms }) => at + ms < beganAt))).toEqual([200]);
      for (const { ms } of answers) expect(ms).toBeLessThan(PROMISED_MS);
      for (const status of statusesOf(during)) {
        expect(fault.mayFail ? [200, 500] : [200]).toContain(status);
      }
      expect(statusesOf(after)).toEqual([200]);
      expect(recoveredMs).toBeLessThan(RECOVERED_MS);

      const failures = loggedEntries(served.output()).filter(({ status }) => status === 500);
      expect(failures.length).toBe(during.filter(({ status }) => status === 500).length);
      for (const { severity, cause } of failures) {
        expect(severity).toBe('ERROR');
        // A lookup makes two calls in turn: its own time may be over before that of the second.
        expect(['GoogleError', 'DeadlineError']).toContain(Object(cause).name);
      }
      for (const secret of [key, token, email]) expect(served.output()).not.toContain(secret);
    },
  );
});
