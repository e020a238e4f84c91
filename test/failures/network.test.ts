// Tests a deployed function with steady requests while the network or a service fails. Every request gets its response
// in time, only requests that cannot succeed fail, and no request fails after the end of the fault.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, type TestContext, test } from 'vitest';
import type { Fault as CallFault } from '../../tools/sandbox/reply.ts';
import { type ServedFunction, WITH_MOUNTS } from '../../tools/sandbox/servedFunction.ts';
import * as faults from '../doubles/callFaults.ts';
import type { NetworkedService } from '../doubles/googleCloud.ts';
import { LONG_RUN } from '../support/amount.ts';
import { loggedEntries } from '../support/http.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { MachineBusy, RESPONSE_MAX_MS, repeatIfBusy, startWatch } from '../support/watch.ts';
import { createNameServer, NAME_PORT, type NameServer } from './nameServer.ts';
import { deploy, RECOVERY_MAX_MS, startStream } from './steadyStream.ts';

/** What a fault acts on: a deployed function, and a service with its network. */
interface Target extends NetworkedService {
  readonly served: ServedFunction;
  /** The name server behind the function's own resolv.conf. */
  readonly names: NameServer;
}

interface Fault {
  readonly name: string;
  readonly begin: (target: Target) => unknown;
  readonly end: (target: Target) => unknown;
}

interface LastingFault extends Fault {
  readonly seconds: number;
  /** Whether a lookup that begins during the fault may fail. It fails if a call has no response after 8.5 seconds. */
  readonly mayFail: boolean;
  /** Makes the lookups by e-mail address, because the fault is in Authentication. */
  readonly byEmail?: boolean;
  /** The address of a name server that the fault needs. */
  readonly namesAt?: string;
}

/**
 * An outage of this length makes no lookup fail, because a silent call is retried after 2.5, 5 and 7.5
 * seconds.
 */
const TOLERATED_SECONDS = 3;
/** Longer than the time limit of a request. */
const EXCESSIVE_SECONDS = 10;

const lasting = (fault: Fault, seconds = TOLERATED_SECONDS): LastingFault => ({
  ...fault,
  seconds,
  mayFail: seconds > TOLERATED_SECONDS,
});
const inAuthentication = (fault: LastingFault): LastingFault => ({
  ...fault,
  name: `Authentication: ${fault.name}`,
  byEmail: true,
});

const LOST: Fault = {
  name: 'all data is lost',
  begin({ network }) {
    network.isSilent = true;
    network.lose();
  },
  end({ network }) {
    network.isSilent = false;
  },
};
const SILENT: Fault = {
  name: 'connections are accepted but get no data',
  begin({ network }) {
    network.isSilent = true;
    network.reset();
  },
  end: LOST.end,
};
const REFUSED: Fault = {
  name: 'connections are refused',
  begin: ({ network }) => network.refuse(),
  end: ({ network }) => network.restore(),
};
let resetting: NodeJS.Timeout;
const RESET: Fault = {
  name: 'connections are reset every 200 ms, and calls between two resets succeed',
  begin({ network, served }) {
    let watch = startWatch(served);
    resetting = setInterval(() => {
      // On a busy machine, no call would succeed within 200 ms of the clock.
      if (watch() < 200) return;
      network.reset();
      watch = startWatch(served);
    }, 20);
  },
  end: () => clearInterval(resetting),
};
const FROZEN: Fault = {
  name: 'the function is frozen and its connections are lost',
  begin({ network, served }) {
    served.process.kill('SIGSTOP');
    network.lose();
  },
  end: ({ served }) => served.process.kill('SIGCONT'),
};

const NEW_ADDRESS = '127.0.0.2';
const CHANGED_ADDRESS: LastingFault = {
  ...lasting(REFUSED),
  name: 'connections are refused, then the server and its name get another address',
  end({ network, names }) {
    names.address = NEW_ADDRESS;
    return network.restore(NEW_ADDRESS);
  },
  namesAt: '127.0.0.152',
};
const SILENT_NAMES: LastingFault = {
  name: 'connections are reset, and the name server is silent',
  begin({ network, names }) {
    names.address = undefined;
    network.reset();
  },
  end({ names }) {
    names.address = '127.0.0.1';
  },
  // getaddrinfo repeats its query after 5 s, so its threads would be blocked for another 4 s.
  seconds: 7,
  mayFail: true,
  namesAt: '127.0.0.153',
};

/** Applies a fault to the calls of these methods. */
const calls = (
  name: string,
  fault: CallFault,
  methods: readonly string[] = ['batchGet', 'runQuery', 'lookup'],
): Fault => ({
  name: `calls are ${name}`,
  begin: ({ service }) => methods.map((method) => service.failAll(method, fault)),
  end: ({ service }) => methods.map((method) => service.failAll(method, undefined)),
});

const FAULTS: readonly LastingFault[] = [
  lasting(LOST, EXCESSIVE_SECONDS),
  inAuthentication(lasting(LOST, EXCESSIVE_SECONDS)),
  lasting(SILENT),
  lasting(REFUSED),
  lasting(RESET),
  lasting(FROZEN),
  CHANGED_ADDRESS,
  SILENT_NAMES,
];
/** Variants of these faults, and longer ones. */
const LONG_FAULTS: readonly LastingFault[] = [
  lasting(LOST, 90),
  inAuthentication(lasting(LOST, 45)),
  lasting(SILENT, 45),
  inAuthentication(lasting(REFUSED)),
  lasting(calls('refused with 429', faults.refuse(429, 'RESOURCE_EXHAUSTED')), 45),
  lasting(calls('unanswered', faults.unanswered), 45),
  // A lookup by token makes one query, after the reads of the key and the token.
  { ...lasting(calls('7 s late', faults.delayed(7_000), ['runQuery']), 45), mayFail: false },
];

/** Whether this machine allows another resolv.conf for one process, and a server on port 53. */
function canReplaceNames(): boolean {
  const [program = '', ...words] = WITH_MOUNTS;
  if (spawnSync(program, [...words, 'true']).status !== 0) return false;
  const firstPort = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  return process.getuid?.() === 0 || firstPort <= NAME_PORT;
}

const NO_NAMES: NameServer = { address: undefined, [Symbol.dispose]: () => undefined };

/** The number of responses before the fault, and of requests that begin after it. */
const BEFORE = 2;
const AFTER = 4;

const key = await seedKey();
const wallet = await seedWallet({ attestationType: 0 });
const token = await seedToken(wallet);
const email = await seedAccount({ wallet });

async function check(fault: LastingFault, context: TestContext): Promise<void> {
  const { expect, onTestFinished, skip } = context;
  const { byEmail, namesAt } = fault;
  const cannot = namesAt !== undefined && !canReplaceNames();
  skip(cannot, 'It needs user namespaces and port 53 (see .ci/run).');
  using names = namesAt === undefined ? NO_NAMES : await createNameServer(namesAt);
  const { google, served, lookUp, stop } = await deploy(key, ({ env }) => {
    if (namesAt === undefined) return;
    env['RESOLV_CONF'] = join(temporaryFolder(), 'resolv.conf');
    writeFileSync(env['RESOLV_CONF'], `nameserver ${namesAt}\n`);
  });
  onTestFinished(stop);
  const target = byEmail ? `?email=${email}` : `?token=${token}`;
  const stream = startStream(() => lookUp(target));
  // Lookups by token do not need Authentication.
  const others = byEmail && startStream(() => lookUp(`?token=${token}`));
  await stream.responded(BEFORE);

  const service = google[byEmail ? 'accounts' : 'firestore'];
  await fault.begin({ ...service, served, names });
  const beganAt = stream.now();
  await pause(fault.seconds * 1_000);
  await fault.end({ ...service, served, names });
  const endedAt = stream.now();
  const sinceEnd = startWatch(served);
  await stream.recovered(endedAt);
  const recoveryMs = sinceEnd();
  await stream.responded(AFTER);
  const responses = await stream.stop();
  const otherResponses = others ? await others.stop() : [];
  await expect.poll(() => service.network.lostCount, { timeout: RESPONSE_MAX_MS }).toBe(0);
  await stop();

  const before = responses.filter(({ at, ms }) => at + ms < beganAt);
  const during = responses.filter(({ at }) => at < endedAt);
  const after = responses.filter(({ at }) => at >= endedAt);
  const mustSucceed = [...before, ...after, ...otherResponses, ...(fault.mayFail ? [] : during)];
  const failed = mustSucceed.filter((response) => response.status !== 200);
  if (failed.some(({ isStarved }) => isStarved)) {
    const list = failed.map(({ status, ms }) => `${status} after ${Math.round(ms)} ms`);
    throw new MachineBusy(`lookups that must succeed failed: ${list}`);
  }
  expect(failed, 'lookups that must succeed, and failed').toEqual([]);
  expect(recoveryMs, 'milliseconds from the end of the fault to the first 200').toBeLessThan(
    RECOVERY_MAX_MS,
  );

  const failures = loggedEntries(served.output()).filter((entry) => entry['status'] === 500);
  const notFound = responses.filter(({ status }) => status !== 200);
  expect(failures.length, 'logged failures').toBe(notFound.length);
  for (const { severity, cause } of failures) {
    expect(severity).toBe('ERROR');
    expect(Object(cause).name).toBe('GoogleError');
  }
  for (const secret of [key, token, email]) expect(served.output()).not.toContain(secret);
}

describe.concurrent('under steady requests', () => {
  test.for([...FAULTS, ...(LONG_RUN ? LONG_FAULTS : [])])(
    '$name for $seconds s',
    async (fault, context) => {
      await repeatIfBusy(fault.name, () => check(fault, context));
    },
  );
});
