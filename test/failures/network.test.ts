// A network and services that fail under a deployed function, with requests all the time: every request has its response in
// time, none fails that could have succeeded, and once the fault is over none fails at all.

import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, test } from 'vitest';
import { loggedEntries } from '../support/log.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { FAULTS, LONG_FAULTS } from './networkFaults.ts';
import { type Answer, deploy, PROMISED_MS, RECOVERED_MS, startStream } from './steadyStream.ts';

const IS_LONG = process.env['LONG_RUN'] !== undefined;
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

describe.concurrent('under steady requests', () => {
  test.for([...FAULTS, ...(IS_LONG ? LONG_FAULTS : [])])(
    '$name for $seconds s',
    { timeout: 90_000 },
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
      const recoveredAt = Math.min(
        ...answers.map(({ at, ms, status }) =>
          at + ms > endedAt && status === 200 ? at + ms : Infinity,
        ),
      );
      console.log(
        `${fault.name} for ${fault.seconds} s: ${during.length} during, of them ` +
          `${during.filter(({ status }) => status !== 200).length} failed, slowest ` +
          `${Math.round(Math.max(...during.map(({ ms }) => ms)))} ms; after it ${after.length}, slowest ` +
          `${Math.round(Math.max(...after.map(({ ms }) => ms)))} ms; recovered ${Math.round(recoveredAt - endedAt)} ms`,
        beganAt,
      );
      expect(statusesOf(answers.filter(({ at, ms }) => at + ms < beganAt))).toEqual([200]);
      for (const { ms } of answers) expect(ms).toBeLessThan(PROMISED_MS);
      for (const status of statusesOf(during)) {
        expect(fault.mayFail ? [200, 500] : [200]).toContain(status);
      }
      expect(statusesOf(after)).toEqual([200]);
      expect(recoveredAt - endedAt).toBeLessThan(RECOVERED_MS);

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
