// Tests the clients with a server that redirects, truncates, stalls, lies and echoes requests. Checks the
// messages and the number of attempts, and that the key and the subject do not leak.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { type HostileServer, startHostileServer } from './hostileServer.ts';
import { byWallet, RESPONDERS } from './responders.ts';

const KEY = 'a-key-that-nobody-may-see';
const { wallet } = DEMONSTRATION;
/** Text that no message may contain. */
const SECRETS = [KEY, wallet];

interface Expected extends Partial<Outcome> {
  /** The number of requests; undefined if an attempt can time out before its request arrives. */
  readonly attempts?: number;
  /** The expected message. */
  readonly says?: RegExp;
}

const FOUND: Expected = { kind: 'ok', attempts: 1 };
const NOT_THE_SERVICE: Expected = { kind: 'refused', attempts: 1, code: 'not_the_service' };
const redirected = (status: number): Expected => ({ ...NOT_THE_SERVICE, status, says: /redirect/ });
const unavailable = (says: RegExp): Expected => ({ kind: 'unavailable', attempts: 4, says });
const TOO_LATE: Expected = {
  kind: 'unavailable',
  says: /attempt 4 of 4 failed \(no response within/i,
};

const CASES: Readonly<Record<string, Expected>> = {
  good: FOUND,
  interim: FOUND,
  compressed: FOUND,
  laterVersion: FOUND,
  recovering: { ...FOUND, attempts: 3 },
  patient: { ...FOUND, attempts: 2 },
  redirect301: redirected(301),
  redirect302: redirected(302),
  redirect307: redirected(307),
  redirect308: redirected(308),
  redirectWithBody: redirected(302),
  page404: { ...NOT_THE_SERVICE, status: 404, says: /check the address/i },
  page403: { ...NOT_THE_SERVICE, status: 403, says: /check the address/i },
  unknownCode: { kind: 'refused', attempts: 1, status: 404, code: 'new_code', requestId: 'r-1' },
  unauthorized: { kind: 'refused', attempts: 1, status: 401, code: 'unauthorized' },
  echoing: { kind: 'refused', attempts: 1, status: 400, code: 'invalid_wallet' },
  echoingStatusLine: unavailable(/attempt 4 of 4/i),
  page200: unavailable(/not from the service/),
  empty200: unavailable(/not from the service/),
  null200: unavailable(/not from the service/),
  list200: unavailable(/not from the service/),
  lie: unavailable(/not from the service/),
  lieText: unavailable(/not from the service/),
  lieNull: unavailable(/not from the service/),
  lieEntry: unavailable(/not from the service/),
  otherWallet: unavailable(/not from the service/),
  notUtf8: unavailable(/attempt 4 of 4/i),
  notGzip: unavailable(/attempt 4 of 4/i),
  noContent: unavailable(/HTTP 204/),
  busy: unavailable(/HTTP 429/),
  down: unavailable(/HTTP 502/),
  internal: {
    ...unavailable(/HTTP 500 internal, request r-3/),
    ...{ status: 500, code: 'internal', requestId: 'r-3' },
  },
  internalPage: {
    ...unavailable(/HTTP 500, request r-5/),
    ...{ status: 500, code: '', requestId: 'r-5' },
  },
  echoingRequestId: { ...unavailable(/HTTP 502, request/), status: 502 },
  askingForAnHour: { kind: 'unavailable', attempts: 1, retryAfter: 3600, says: /3600 seconds/ },
  closing: unavailable(/attempt 4 of 4/i),
  cut: unavailable(/attempt 4 of 4/i),
  cutInChunks: unavailable(/attempt 4 of 4/i),
  stalling: TOO_LATE,
  stallingBody: TOO_LATE,
  drippingBody: TOO_LATE,
  drippingHeaders: TOO_LATE,
  bomb: unavailable(/more than 64 MiB/),
};
/** Cases that test the time limit. */
const SLOW = /stalling|dripping/;

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test('there is a case for every response of the server', () => {
  const cases = Object.keys(CASES).filter(
    (responseName) => responseName !== 'recovering' && responseName !== 'patient',
  );
  expect(cases.sort()).toEqual(Object.keys(RESPONDERS).sort());
});

describe.concurrent.each(LANGUAGES)('$name', ({ name, run }) => {
  const outcomes = new Map<string, Outcome>();

  beforeAll(async () => {
    const names = Object.keys(CASES);
    const jobs = names.map((responseName): Job => {
      const timeout = SLOW.test(responseName) ? 0.4 : 15;
      const url = server.url(responseName, name);
      return { action: 'lookUp', url, key: KEY, subject: { wallet }, timeout };
    });
    // The client's own transport, which may follow redirects.
    for (const responseName of ['good', 'redirectWithBody']) {
      const { host, pathname } = new URL(server.url(responseName, `${name}-own`));
      const url = `http://localhost:1${pathname}`;
      names.push(`${responseName} through its own transport`);
      jobs.push({ action: 'lookUp', url, through: host, key: KEY, subject: { wallet } });
    }
    for (const [index, outcome] of (await run(jobs)).entries()) {
      outcomes.set(names[index] ?? '', outcome);
    }
  }, 120_000);

  test.each(Object.entries(CASES))(
    'the response %s has the documented outcome',
    (responseName, { attempts, says = /./, ...expected }) => {
      const outcome = outcomes.get(responseName);
      expect(outcome).toMatchObject(expected);
      if (attempts !== undefined) {
        expect(server.times.get(`${responseName} ${name}`)).toHaveLength(attempts);
      }
      if (outcome?.kind !== 'ok') expect(outcome?.text).toMatch(says);
      const texts = `${outcome?.text} ${outcome?.requestId} ${JSON.stringify(outcome?.value ?? '').replaceAll(wallet, '')}`;
      for (const secret of SECRETS) expect(texts).not.toContain(secret);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters of terminals
      expect(outcome?.text).not.toMatch(/\u001b\[31/);
    },
  );

  test('also looks up with a transport of its user, and does not follow redirects with it', () => {
    expect(outcomes.get('good through its own transport')).toMatchObject({ kind: 'ok' });
    const redirect = outcomes.get('redirectWithBody through its own transport');
    expect(redirect).toMatchObject({ kind: 'refused', code: 'not_the_service' });
  });

  test('nothing reaches the third-party server', () => expect(server.leakedRequests).toEqual([]));

  test('waits as long as the service asks', () => {
    const [first = 0, second = 0] = server.times.get(`patient ${name}`) ?? [];
    expect(second - first).toBeGreaterThan(990);
  });

  test('returns a result unchanged, with the id of its response', () => {
    const result = { ...byWallet.value, requestId: '' };
    expect(outcomes.get('compressed')?.value).toMatchObject({ result });
    expect(outcomes.get('good')?.value).toMatchObject({ result: { ...result, requestId: 'r-6' } });
    expect(outcomes.get('laterVersion')?.value).toMatchObject({
      result: { hasVerifiedHuman: true, attestations: [{ attestationType: 9 }] },
    });
  });
});
