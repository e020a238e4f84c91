// Tests single and many lookups. The server redirects, truncates, stalls, lies and echoes requests, has the wrong
// certificate, and addresses, keys and subjects are pasted badly. Neither the key nor the subject may leak.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION } from '../../contract/examples.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { CROWD, type Expected, RESPONSES, RESULT } from './responses.ts';
import { startHostileServer } from './servers.ts';

const KEY = 'a-key-that-nobody-may-see';
const HOST = 'nobody-may-see-this';
const { wallet, token } = DEMONSTRATION;
const unusable = (job: Partial<Job>): Expected => ({ kind: 'invalid', attempts: 0, job });
/** Unusable settings, with which nothing is sent. */
const UNUSABLE: Readonly<Record<string, Partial<Job>>> = {
  'white space as the address': { url: ' \n' },
  'an address without a scheme': { url: `${HOST}:5002` },
  'http to a name that begins with 127.0.0.1': { url: 'http://127.0.0.1.example' },
  'http to a name that begins with localhost': { url: 'http://localhost.example' },
  'no time': { timeout: 0 },
  'a negative pause': { pause: -1 },
  'no lookup at once': { subjects: [{ token }], atOnce: 0 },
  'a negative wait': { subjects: [{ token }], maxWait: -1 },
  'a user name without a password in the address': { url: `https://${KEY}@poh.example` },
  'a password in the address': { url: `https://:${KEY}@poh.example` },
  'a query in the address': { url: `https://${HOST}/?a=1` },
  'a fragment in the address': { url: `https://${HOST}/#a` },
  'an invalid port': { url: `https://${HOST}:99999` },
  'white space as the key': { key: ' \r\n' },
  'a line break in the key': { key: `${KEY}\nX: 1` },
  'a non-ASCII character in the key': { key: `${KEY}\u00e9` },
  'two subjects': { subject: { token, wallet } },
};

const TOKENS = Array.from({ length: 60 }, (_, index) => ({ token: `t-${index}` }));
/** The subjects, the number in flight, and the seconds of many lookups, by the responses to them. */
const MANY: Readonly<Record<string, readonly [unknown[], atOnce: number, timeout?: number]>> = {
  crowd: [[{ token: 'unknown' }, { token: 'long' }, ...TOKENS], CROWD],
  good: [[], 1],
  stopping: [TOKENS.slice(0, 2), 1, 3],
  askingForYears: [TOKENS, CROWD],
  askingAgain: [TOKENS, CROWD],
  askingAndAnswering: [TOKENS.slice(0, 3), 1],
  pausing: [TOKENS.slice(0, 12), 6, 6.9],
  // What is no subject says nothing of the service.
  down: [[...TOKENS.slice(0, 40), { Token: 't' }, ...TOKENS.slice(40)], CROWD],
  mostlyDown: [TOKENS, CROWD],
  mixed: [[{ Token: 't' }, TOKENS[0], { token: 't', wallet: 'w' }, { email: '' }, TOKENS[1]], 2],
  unauthorized: [TOKENS, 4],
  stray: [[TOKENS[0], { email: 'a@example.com' }, TOKENS[1]], 1],
  strayOverTls: [TOKENS.slice(0, 3), 1],
};

/** Unusable proxies, whose password nobody may see. */
const PROXIES = [
  `http://u:${HOST}#x@proxy:3128`,
  `http://u:12/${HOST}@proxy:3128`,
  `http://u:${HOST}@[proxy:3128`,
  `ftp://u:${HOST}@proxy:3128`,
  `socks5://u:${HOST}@proxy:3128`,
];
const proxied = (proxy: string): Expected => ({
  ...unusable({ url: 'https://poh.example', proxy }),
  ...{ says: /The proxy in HTTPS_PROXY or ALL_PROXY is unusable\. Set/, only: /^Python/ },
});

const CASES: readonly (readonly [string, Expected])[] = [
  ...Object.entries(RESPONSES).map(([name, all]) => [name, all.at(-1) as Expected] as const),
  ...Object.entries(UNUSABLE).map(([name, job]) => [name, unusable(job)] as const),
  ...PROXIES.map((proxy) => [`the proxy ${proxy}`, proxied(proxy)] as const),
];

const server = await startHostileServer();
afterAll(() => server[Symbol.asyncDispose]());

describe.concurrent.each(LANGUAGES)('$name', ({ name, run }) => {
  let outcomes: Record<string, Outcome> = {};
  const cases = CASES.filter(([, { only = /./ }]) => only.test(name));

  beforeAll(async () => {
    const jobs: Record<string, Job> = {};
    for (const [title, { job }] of cases) {
      // As pasted.
      const [url, key] = [` ${server.url(title, name)}/ `, `\ufeff ${KEY}\r\n`];
      jobs[title] = { url, key, subject: { wallet }, ...job };
    }
    const many: Record<string, Job> = {};
    for (const [response, [subjects, atOnce, timeout]] of Object.entries(MANY)) {
      const url = server.url(response, `${name}-many`);
      many[`many ${response}`] = { url, key: KEY, subjects, atOnce, timeout, maxWait: 8 };
    }
    outcomes = await run([jobs, many], server.env);
  }, 600_000);

  test.each(cases)('%s has the documented outcome', (title, expected) => {
    const { attempts, sends = '', says = /./, job, only, ...fields } = expected;
    const { kind, text = '', value = '', told = [] } = outcomes[title] ?? {};
    expect(outcomes[title]).toMatchObject(fields);
    const { requests } = server.traffic(title, name);
    if (attempts !== undefined) expect(requests).toHaveLength(attempts);
    const agent = `poh-attestations-${name.split('-')[0]?.toLowerCase()}/1.`;
    for (const { sent } of requests) expect(sent).toMatch(`${sends} ${KEY} ${agent}`);
    if (kind !== 'ok') expect(text).toMatch(says);
    if (attempts) expect(told).toHaveLength(attempts);
    for (const [index, { attempt, status, code, requestId }] of told.entries()) {
      expect(attempt).toBe(index + 1);
      if (attempt < told.length) continue;
      const ok = { status: 200, code: '', ...Object(value).result };
      expect(kind === 'ok' ? ok : outcomes[title]).toMatchObject({ status, code, requestId });
    }
    const texts = `${text} ${JSON.stringify(told)} ${JSON.stringify(value).replaceAll(wallet, '')}`;
    for (const secret of [KEY, wallet, HOST, 'nobody_may_see']) expect(texts).not.toContain(secret);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters of terminals
    expect(text).not.toMatch(/\u001b\[31/);
  });

  test('sends nothing to the server of a redirect', () =>
    expect(server.leakedRequests).toEqual([]));

  test('waits as long as the service asks, and tells how long an attempt took', () => {
    const [{ ms } = { ms: 0 }] = outcomes['stalling']?.told ?? [];
    expect(ms).toBeGreaterThan(399);
    expect(ms).toBeLessThan(60_000);
    const [first, second] = server.traffic('patient', name).requests;
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThan(990);
  });

  test('returns a result unchanged, with the id, the evidence and the mark of its response', () => {
    const { onChainAddress } = RESULT.attestations[0] ?? {};
    const [url, body] = [server.url('good', name), JSON.stringify(RESULT)];
    expect(outcomes['good']?.value).toMatchObject({
      result: { ...RESULT, requestId: 'r-6' },
      evidence: {
        url: `${url}/pohAttestationsEndpoint?wallet=${wallet}`,
        ...{ status: 200, body, requestId: 'r-6' },
        ...{ signatureInput: 'poh=()', signature: 'poh=:AA==:' },
      },
      walletMark: onChainAddress,
    });
    expect(outcomes['good']?.told).toMatchObject([{ keyEnds: null }]);
    expect(outcomes['signedRefusal']?.told).toMatchObject([
      { keyEnds: '2099-01-02T03:04:05.000Z' },
    ]);
    expect(outcomes['compressed']?.value).toMatchObject({ result: { ...RESULT, requestId: '' } });
    expect(outcomes['laterVersion']?.value).toMatchObject({
      result: { requestId: '', attestations: [{ attestationType: 9 }, {}] },
      walletMark: null,
    });
    // Only who looks for the evidence of a refusal finds the subject.
    const { evidence, text } = outcomes['signedRefusal'] ?? {};
    expect(evidence).toMatchObject({ status: 404, url: expect.stringMatching(/\?wallet=/) });
    expect(text).not.toContain('poh=:AA==:');
  });

  const found = (response: string) =>
    outcomes[`many ${response}`]?.value as Readonly<Record<string, unknown>>[];
  const countHumans = (response: string) => found(response).filter(({ isHuman }) => isHuman).length;
  const traffic = (response: string) => server.traffic(response, `${name}-many`);

  test('looks up many subjects with the allowed concurrency, and continues after a refusal', () => {
    expect(found('crowd').map(({ done }) => done)).toEqual(
      TOKENS.map((_, index) => index + 1).concat(61, 62),
    );
    expect(new Set(found('crowd').map(({ total }) => total))).toEqual(new Set([62]));
    const failed = found('crowd').filter(({ isHuman }) => isHuman === null);
    expect(failed.map(({ token, code }) => `${token}: ${code}`).sort()).toEqual([
      'long: not_the_service',
      'unknown: token_not_found',
    ]);
    const refusals = failed.filter(({ code }) => code === 'token_not_found');
    expect(refusals).toMatchObject([{ evidence: { signature: 'poh=:AA==:' } }]);
    const own = found('crowd').filter(({ token, index }) => token === `t-${Number(index) - 2}`);
    expect(own.filter(({ isHuman }) => isHuman)).toHaveLength(60);
    expect(traffic('crowd').maxOpen).toBe(CROWD);
    expect(found('good')).toEqual([]);
  });

  test('sends no request twice after a time-out, also on a connection that it reuses', () => {
    const late = { isHuman: null, text: expect.stringMatching(/within (2\.9\d?|3) s\b/) };
    expect(found('stopping')).toMatchObject([{ isHuman: true }, late]);
    // Fewer if an attempt times out before its request arrives.
    const repeated = traffic('stopping').requests.filter(({ sent }) =>
      sent.startsWith('token=t-1'),
    );
    expect(repeated.length).toBeLessThan(5);
  });

  test('waits as long as the service asks one of many, and then sends one request, and 2 at once, …', () => {
    expect(countHumans('pausing')).toBe(12);
    // Each wait belongs to the first attempt.
    expect(new Set(outcomes['many pausing']?.told.map(({ attempt }) => attempt)).size).toBe(1);
    const { requests } = traffic('pausing');
    // Nobody is answered before all 6 are in flight, and none is sent before the end of the longest wait.
    const later = requests.slice(6);
    expect(Number(later[0]?.at) - Number(requests[5]?.at)).toBeGreaterThan(6_990);
    const open = later.map((each) => each.open);
    expect(open.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...open.slice(0, 4))).toBeLessThan(3);
    expect(Math.max(...open)).toBeGreaterThan(1);
  });

  test('stops many lookups if the service refuses the key, asks to wait for years, or again and again, or fails for 50 in a row', () => {
    const stopped = outcomes['many askingForYears'];
    expect(stopped).toMatchObject({ kind: 'Unavailable', retryAfter: 9999999999 });
    expect(traffic('askingForYears').requests.length).toBeLessThanOrEqual(CROWD);
    expect(outcomes['many askingAgain']).toMatchObject({ kind: 'RateLimited', retryAfter: 3 });
    // All, and one after each of the waits of 3 s.
    expect(traffic('askingAgain').requests).toHaveLength(CROWD + 2);
    expect(outcomes['many down']).toMatchObject({ kind: 'Unavailable', status: 503 });
    expect(outcomes['many down']?.text).toMatch(/50 times in a row/);
    const { length } = traffic('down').requests;
    expect(length).toBeGreaterThanOrEqual(200);
    expect(length).toBeLessThan(240);
    const unauthorized = { kind: 'KeyRefused', code: 'unauthorized' };
    expect(outcomes['many unauthorized']).toMatchObject(unauthorized);
    expect(traffic('unauthorized').requests.length).toBeLessThan(20);
    expect(countHumans('mostlyDown')).toBe(1);
    expect(countHumans('askingAndAnswering')).toBe(3);
  });

  test('a bad row fails alone, and says which it is', () => {
    const rows = found('mixed').sort((one, other) => Number(one['index']) - Number(other['index']));
    const kinds = ['invalid', 'ok', 'invalid', 'SubjectRefused', 'ok'];
    expect(rows.map(({ kind }) => kind)).toEqual(kinds);
    expect(rows.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(rows[1]?.['evidence']).toMatchObject({ signature: 'poh=:AA==:' });
  });

  test.each(['stray', 'strayOverTls'])('takes no response that was left behind: %s', (response) => {
    expect(found(response)).toHaveLength(3);
    expect(countHumans(response)).toBe(0);
  });
});
