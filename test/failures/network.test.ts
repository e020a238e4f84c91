// A network and a front end that fail under a deployed function: no lookup fails that could have
// succeeded, and the first one afterwards succeeds.

import { constants } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as faults from '../../doubles/callFaults.ts';
import type { CallFault, Method } from '../../doubles/firestoreFrontEnd.ts';
import { createGoogleCloud, type GoogleCloud } from '../../doubles/googleCloud.ts';
import type { LossyNetwork } from '../../doubles/lossyNetwork.ts';
import { createNameServer } from '../../doubles/nameServer.ts';
import { type ServedFunction, serveFunction } from '../../sandbox/servedFunction.ts';
import { send } from '../support/http.ts';
import { randomContextHash, seedKey, seedToken, seedWallet } from '../support/seed.ts';

const ATTESTATIONS = 200;
const AT_ONCE = 20;

let key: string;
let small: string;
let large: string;

beforeAll(async () => {
  const votes = Array.from({ length: ATTESTATIONS }, () => ({
    attestationType: 1,
    contextHashHex: randomContextHash(),
  }));
  key = await seedKey();
  small = await seedToken(await seedWallet({ attestationType: 0 }));
  large = await seedToken(await seedWallet(...votes));
});

interface Deployed {
  readonly google: GoogleCloud;
  /** @returns the status, or the count of a 200 */
  readonly lookUp: (token?: string) => Promise<number>;
  readonly served: ServedFunction;
  readonly stop: () => Promise<void>;
}

/** Serves the function as deployed, and makes its key known by a first lookup. */
async function deploy(): Promise<Deployed> {
  const google = await createGoogleCloud(process.env['FIRESTORE_EMULATOR_HOST'] ?? '');
  const served = await serveFunction(google.env);
  const lookUp = async (token = small): Promise<number> => {
    const { status, json } = await send(served.url, { key, target: `?token=${token}` });
    return status === 200 ? json.count : status;
  };
  await lookUp();
  const stop = async (): Promise<void> => {
    await served.stop();
    google.close();
  };
  return { google, lookUp, served, stop };
}

const FAILURES: readonly (readonly [string, (network: LossyNetwork) => void])[] = [
  [
    'accepts and never responds',
    (network) => {
      network.route('silent');
      network.cutConnections();
    },
  ],
  [
    'accepts, makes a TLS connection and never responds',
    (network) => {
      network.route('silent TLS');
      network.cutConnections();
    },
  ],
  [
    'refuses',
    (network) => {
      network.route('refused');
      network.cutConnections();
    },
  ],
  [
    'loses everything',
    (network) => {
      network.route('silent');
      network.loseConnections();
    },
  ],
  ['forgets the connection', (network) => network.loseConnections()],
];

describe.concurrent('a network that', () => {
  test.for(FAILURES)('%s', async ([, fail], { expect }) => {
    const { google, lookUp, stop } = await deploy();
    const { network } = google;
    const made = network.connectionsMade();
    fail(network);
    const during = Promise.all([lookUp(), lookUp(), lookUp()]);
    await expect.poll(() => network.connectionsMade(), { timeout: 8_000 }).toBeGreaterThan(made);
    network.route('delivered');
    expect(await lookUp()).toBe(1);
    expect(await during).toEqual([1, 1, 1]);
    // Abandoned connections are closed.
    await expect.poll(() => network.connectionsOpen(), { timeout: 10_000 }).toBe(1);
    await stop();
  });
});

test('a name that moves from an address that refuses is found again', async () => {
  const names = await createNameServer('127.0.0.2');
  const port = process.env['FIRESTORE_EMULATOR_HOST']?.split(':')[1];
  const served = await serveFunction({
    FIRESTORE_EMULATOR_HOST: `dns://${names.host}/firestore.test:${port}`,
    GRPC_NODE_USE_ALTERNATIVE_RESOLVER: 'true',
  });
  const lookUp = send(served.url, { key, target: `?token=${small}` });
  await expect.poll(names.queries).toBeGreaterThan(0);
  names.setAddress('127.0.0.1');
  expect((await lookUp).status).toBe(200);
  await served.stop();
  names.close();
});

const H2 = constants;
const SERVED_STREAMS = 2 ** 31 - 1;
const CALL_FAULTS: readonly [string, ...CallFault[]][] = [
  ['reset after its headers: CANCEL', faults.resetAfterHeaders(H2.NGHTTP2_CANCEL)],
  ['reset after its headers: NO_ERROR', faults.resetAfterHeaders(H2.NGHTTP2_NO_ERROR)],
  ['reset after its headers: INTERNAL_ERROR', faults.resetAfterHeaders(H2.NGHTTP2_INTERNAL_ERROR)],
  ['reset after its headers: REFUSED_STREAM', faults.resetAfterHeaders(H2.NGHTTP2_REFUSED_STREAM)],
  [
    'reset after its headers: ENHANCE_YOUR_CALM',
    faults.resetAfterHeaders(H2.NGHTTP2_ENHANCE_YOUR_CALM),
  ],
  ['dropped with its connection after its headers', faults.connectionLostAfterHeaders],
  ['cut off', faults.cutOff],
  ['cut off twice', faults.cutOff, faults.cutOff],
  ['hit by GOAWAY, and completed', faults.goAway(H2.NGHTTP2_NO_ERROR, SERVED_STREAMS)],
  ['hit by GOAWAY, and not completed', faults.goAway(H2.NGHTTP2_NO_ERROR, 0)],
  ['hit by GOAWAY for an error', faults.goAway(H2.NGHTTP2_INTERNAL_ERROR, 0)],
  [
    'hit by GOAWAY for too many pings',
    faults.goAway(H2.NGHTTP2_ENHANCE_YOUR_CALM, 0, 'too_many_pings'),
  ],
  ['refused four times: DEADLINE_EXCEEDED', ...Array(4).fill(faults.refuse(4))],
  ['refused six times: RESOURCE_EXHAUSTED', ...Array(6).fill(faults.refuse(8))],
  ['refused six times: UNAVAILABLE', ...Array(6).fill(faults.refuse(14))],
];

describe('with one function', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await deploy();
  });

  afterAll(() => deployed.stop());

  // First of all: gRPC pings less often once the server has requested it.
  test('a response that begins after 7 seconds is not lost, nor pinged for', async () => {
    const { google, lookUp } = deployed;
    google.database.failNext('RunQuery', ...Array(4).fill(faults.delayed(7_000)));
    expect(await lookUp()).toBe(1);
    expect(google.database.pingedTooOften()).toBe(0);
  });

  test('one call that is lost while others are answered', async () => {
    const { google, lookUp } = deployed;
    google.database.failNext('RunQuery', faults.unanswered);
    let isWaiting = true;
    const lost = lookUp().finally(() => {
      isWaiting = false;
    });
    while (isWaiting) expect(await lookUp()).toBe(1);
    expect(await lost).toBe(1);
  });

  test('a network that is cut while the function is frozen', async () => {
    const { google, lookUp, served } = deployed;
    served.process.kill('SIGSTOP');
    google.network.cutConnections();
    served.process.kill('SIGCONT');
    expect(await lookUp()).toBe(1);
  });

  test('a network that is cut under many lookups', async () => {
    const { google, lookUp } = deployed;
    const { calls } = google.database;
    calls.length = 0;
    const lookups = Array.from({ length: AT_ONCE }, () => lookUp(large));
    await expect.poll(() => calls.length, { interval: 1 }).toBeGreaterThan(AT_ONCE);
    google.network.cutConnections();
    expect(await Promise.all(lookups)).toEqual(Array(AT_ONCE).fill(ATTESTATIONS));
  });

  describe.each(['BatchGetDocuments', 'RunQuery'] satisfies Method[])('a call of %s', (method) => {
    test.each(CALL_FAULTS)('that is %s', async (_, ...met) => {
      const { google, lookUp } = deployed;
      google.database.failNext(method, ...met);
      expect(await lookUp(large)).toBe(ATTESTATIONS);
    });
  });

  test('a message may have any size', async () => {
    const { google, lookUp } = deployed;
    google.database.failNext('RunQuery', faults.emptyMessage(5 * 1024 ** 2));
    expect(await lookUp()).toBe(0);
  });

  test('a database that refuses for good fails the lookup, in time', async () => {
    const { google, lookUp } = deployed;
    google.database.failNext('RunQuery', ...Array(100).fill(faults.refuse(14)));
    expect(await lookUp()).toBe(500);
  });
});
