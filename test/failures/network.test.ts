// Tests a deployed function with steady requests while the network or a service fails. Every request gets its response
// in time, only requests that cannot succeed fail, and no request fails after the end of the fault.

import { setTimeout as pause } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { LONG_RUN } from '../support/amount.ts';
import { loggedEntries } from '../support/log.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { startWatch } from '../support/watch.ts';
import { FAULTS, LONG_FAULTS } from './networkFaults.ts';
import {
  deploy,
  RECOVERY_MAX_MS,
  RESPONSE_MAX_MS,
  startStream,
  type TimedResponse,
} from './steadyStream.ts';

/** The number of responses before the fault, and of requests that begin after it. */
const BEFORE = 2;
const AFTER = 4;

const key = await seedKey();
const wallet = await seedWallet({ attestationType: 0 });
const token = await seedToken(wallet);
const email = await seedAccount({ wallet });

const statusesOf = (responses: readonly TimedResponse[]): number[] => [
  ...new Set(responses.map(({ status }) => status)),
];

describe.concurrent('under steady requests', () => {
  test.for([...FAULTS, ...(LONG_RUN ? LONG_FAULTS : [])])(
    '$name for $seconds s',
    async (fault, { expect, skip }) => {
      skip(fault.isPossible === false, 'It needs user namespaces and port 53 (see .ci/run).');
      const deployed = await deploy(key, fault.prepare);
      const target = fault.byEmail ? `?email=${email}` : `?token=${token}`;
      await deployed.status(target);
      const stream = startStream(deployed.served, () => deployed.status(target));
      // Lookups by token do not need Authentication.
      const others =
        fault.byEmail && startStream(deployed.served, () => deployed.status(`?token=${token}`));
      await stream.responded(BEFORE);

      const end = await fault.begin(deployed);
      const beganAt = stream.now();
      await pause(fault.seconds * 1_000);
      await end();
      const endedAt = stream.now();
      const sinceEnd = startWatch(deployed.served);
      await stream.recovered(endedAt);
      const recoveryMs = sinceEnd();
      await stream.responded(AFTER);
      const responses = await stream.stop();
      if (others) expect(statusesOf(await others.stop())).toEqual([200]);
      const { google, served } = deployed;
      const { network } = google[fault.byEmail ? 'accounts' : 'firestore'];
      await expect.poll(() => network.lostCount, { timeout: RESPONSE_MAX_MS }).toBe(0);
      await deployed.stop();
      fault.cleanUp?.();

      const during = responses.filter(({ at }) => at < endedAt);
      const after = responses.filter(({ at }) => at >= endedAt);
      expect(statusesOf(responses.filter(({ at, ms }) => at + ms < beganAt))).toEqual([200]);
      for (const { ranMs } of responses) expect(ranMs).toBeLessThan(RESPONSE_MAX_MS);
      for (const status of statusesOf(during)) {
        expect(fault.mayFail ? [200, 500] : [200]).toContain(status);
      }
      expect(statusesOf(after)).toEqual([200]);
      expect(recoveryMs).toBeLessThan(RECOVERY_MAX_MS);

      const failures = loggedEntries(served.output()).filter(({ status }) => status === 500);
      expect(failures.length).toBe(during.filter(({ status }) => status === 500).length);
      for (const { severity, cause } of failures) {
        expect(severity).toBe('ERROR');
        expect(Object(cause).name).toBe('GoogleError');
      }
      for (const secret of [key, token, email]) expect(served.output()).not.toContain(secret);
    },
  );
});
