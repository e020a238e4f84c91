// A dead or hanging dependency delays no request past 10 seconds, and needs no restart afterwards.

import { beforeAll, describe, expect, test } from 'vitest';
import { relayTo, type TcpRelay } from '../../doubles/tcpRelay.ts';
import { serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { loggedEntries } from '../support/log.ts';
import { seedAccount, seedKey, seedToken, seedWallet } from '../support/seed.ts';

const PROMISED_MS = 10_000;
const MODES = ['wallet', 'email', 'token'] as const;
type Mode = (typeof MODES)[number];

let key: string;
let subjects: Record<Mode, string>;

beforeAll(async () => {
  const wallet = await seedWallet({ attestationType: 0 });
  key = await seedKey();
  subjects = { wallet, email: await seedAccount({ wallet }), token: await seedToken(wallet) };
});

const HOSTS = {
  Firestore: 'FIRESTORE_EMULATOR_HOST',
  Authentication: 'FIREBASE_AUTH_EMULATOR_HOST',
} as const;

/** Serves the function with a relay before one of its dependencies. */
async function serveBehindRelay(dependency: keyof typeof HOSTS) {
  const relay = await relayTo(process.env[HOSTS[dependency]]);
  const served = await serveFunction({ [HOSTS[dependency]]: relay.host });
  const lookUp = async (mode: Mode) => {
    const startedAt = performance.now();
    const response = await send(served.url, { key, target: `?${mode}=${subjects[mode]}` });
    const inTime = performance.now() - startedAt < PROMISED_MS;
    return { mode, status: response.status, code: response.json.code, inTime };
  };
  const stop = async (): Promise<void> => {
    await served.stop();
    await relay.close();
  };
  return { relay, lookUp, output: served.output, stop };
}

interface Fault {
  readonly fault: string;
  readonly damage: (relay: TcpRelay) => void | Promise<void>;
  readonly repair: (relay: TcpRelay) => void | Promise<void>;
}

const FAULTS: readonly Fault[] = [
  { fault: 'dead', damage: (relay) => relay.cut(), repair: (relay) => relay.restore() },
  { fault: 'hanging', damage: (relay) => relay.freeze(), repair: (relay) => relay.thaw() },
  {
    fault: 'far too slow',
    damage: (relay) => relay.delay(30_000),
    repair: (relay) => relay.delay(0),
  },
];

/** The modes' statuses while a dependency is down: only those that need it fail. */
const EXPECTED = {
  Firestore: { wallet: 500, email: 500, token: 500 },
  Authentication: { wallet: 200, email: 500, token: 200 },
} as const;

const CASES = (['Firestore', 'Authentication'] as const).flatMap((dependency) =>
  FAULTS.map((fault) => ({ dependency, ...fault })),
);

describe.concurrent('a dependency', () => {
  test.each(CASES)('$dependency $fault', async ({ dependency, damage, repair }) => {
    const { relay, lookUp, output, stop } = await serveBehindRelay(dependency);
    const before = await Promise.all(MODES.map(lookUp));
    expect(before.map(({ status }) => status)).toEqual([200, 200, 200]);

    await damage(relay);
    const during = await Promise.all(MODES.map(lookUp));
    await repair(relay);
    const after = await Promise.all(MODES.map(lookUp));
    await stop();

    for (const { mode, status, code, inTime } of during) {
      expect({ mode, status, inTime }).toEqual({
        mode,
        status: EXPECTED[dependency][mode],
        inTime: true,
      });
      expect(code).toBe(status === 500 ? 'internal' : undefined);
    }
    expect(after.map(({ status }) => status)).toEqual([200, 200, 200]);

    const failures = loggedEntries(output()).filter(({ status }) => status === 500);
    expect(failures.length).toBe(during.filter(({ status }) => status === 500).length);
    for (const { severity, cause } of failures) {
      expect(severity).toBe('ERROR');
      expect(cause).toMatchObject({
        name: expect.any(String),
        stack: expect.stringContaining('at '),
      });
    }
    for (const secret of [key, ...Object.values(subjects)]) expect(output()).not.toContain(secret);
  });
});
