// Tests single and many lookups. The server redirects, truncates, stalls, lies and echoes requests, and addresses, keys
// and subjects are pasted badly. Neither the key nor the subject may leak.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { CROWD, type Expected, RESPONSES, RESULT } from './responses.ts';
import { startHostileServer } from './servers.ts';

const KEY = 'a-key-that-nobody-may-see';
const HOST = 'nobody-may-see-this';
const { wallet, token } = DEMONSTRATION;
/** The seconds of a lookup that tests the deadline. Others get more than a busy machine needs. */
const deadlineOf = (response: string): number => {
  if (/stalling|dripping/.test(response)) return 0.4;
  return response === 'askingBeyondTheDeadline' ? 29 : 60;
};

/** Unusable settings, with which nothing is sent. */
const UNUSABLE: Readonly<Record<string, Partial<Job>>> = {
  'no address': { url: '' },
  'white space as the address': { url: ' \n' },
  'an address without a scheme': { url: `${HOST}:5002` },
  'a path as the address': { url: `/${HOST}` },
  'http to another machine': { url: `http://${HOST}` },
  'http to a name that begins with localhost': { url: `http://localhost.${HOST}` },
  'http to a name that begins with 127.0.0.1': { url: 'http://127.0.0.1.example' },
  'another scheme': { url: `ftp://${HOST}` },
  'a user name in the address': { url: `https://${HOST}:${KEY}@poh.example` },
  'a user name without a password in the address': { url: `https://${KEY}@poh.example` },
  'a query in the address': { url: `https://${HOST}/?a=1` },
  'a fragment in the address': { url: `https://${HOST}/#a` },
  'an invalid port': { url: `https://${HOST}:99999` },
  'no key': { key: '' },
  'white space as the key': { key: ' \r\n' },
  'a line break in the key': { key: `${KEY}\nX: 1` },
  'a non-ASCII character in the key': { key: `${KEY}\u00e9` },
  'a NUL character in the key': { key: `${KEY}\0` },
  'two subjects': { subject: { token, wallet } },
};

const EMPTY: Readonly<Record<string, Record<string, string>>> = {
  nothing: {},
  'an empty text': { token: '' },
  'white space': { token: ' \n' },
};

/** Subjects as typed, by the queries to send. */
const TYPED: Readonly<Record<string, Record<string, string>>> = {
  [`token=${token}`]: { token: `\ufeff ${token}\r\n`, wallet: ' ' },
  [`wallet=${wallet}`]: { wallet: `\t${wallet} ` },
  'email=al%2Bvote%40example.com': { email: ' al+vote@example.com ' },
  'email=al%20vote%40example.com': { email: 'al vote@example.com' },
  'email=a%26wallet%3Db%40example.com': { email: 'a&wallet=b@example.com' },
  'email=j%C3%BCrg%40example.com': { email: 'j\u00fcrg@example.com' },
  'token=a%0Ab': { token: 'a\nb' },
};

const TOKENS = Array.from({ length: 60 }, (_, index) => ({ token: `t-${index}` }));
/** The subjects, the number in flight, and the seconds of many lookups, by the responses to them. */
const MANY: Readonly<Record<string, readonly [Job['subjects'], atOnce: number, timeout?: number]>> =
  {
    crowd: [[{ token: 'unknown' }, { token: 'long' }, ...TOKENS], CROWD],
    good: [[], 1],
    stopping: [TOKENS.slice(0, 2), 1, 3],
    askingForYears: [TOKENS, CROWD],
    pausing: [TOKENS.slice(0, 6), 2],
    unauthorized: [TOKENS, 4],
  };

interface Found {
  readonly token: string;
  readonly done: number;
  readonly total: number;
  readonly isHuman: boolean | null;
  readonly code: string | null;
}

const server = await startHostileServer();
afterAll(() => server[Symbol.asyncDispose]());

describe.concurrent.each(LANGUAGES)('$name', ({ name, run }) => {
  let outcomes: Record<string, Outcome> = {};
  // Without a thread or an event loop, Python can only limit each read. Only the platform could send single bytes over
  // TLS for longer, and it could as well send a wrong result.
  const limitsReads = name.startsWith('Python') && !name.endsWith('async');
  const responses = Object.entries(RESPONSES).filter(
    ([response]) => !(limitsReads && response === 'drippingHeaders'),
  );

  beforeAll(async () => {
    const jobs: Record<string, Job> = {};
    const add = (title: string, response: string, client: string, job: Partial<Job> = {}) => {
      jobs[title] = { url: server.url(response, client), key: KEY, subject: { wallet }, ...job };
    };
    for (const [response] of responses)
      add(response, response, name, { timeout: deadlineOf(response) });
    for (const [title, job] of Object.entries(UNUSABLE)) add(title, 'good', `${name}-none`, job);
    // A letter that the code contains.
    add('short', 'unknownCode', `${name}-short`, { subject: { token: 'e' } });
    for (const [title, subject] of Object.entries(EMPTY))
      add(title, 'good', `${name}-none`, { subject });
    for (const [query, subject] of Object.entries(TYPED)) {
      const url = ` ${server.url('good', `${name}-${query}`)}/ `;
      add(query, '', '', { url, subject, key: `\ufeff ${KEY}\r\n` });
    }
    const many: Record<string, Job> = {};
    for (const [response, [subjects = [], atOnce, timeout = 240]] of Object.entries(MANY)) {
      const url = server.url(response, `${name}-many`);
      many[`many ${response}`] = { url, key: KEY, subjects, atOnce, timeout };
    }
    outcomes = { ...(await run(jobs)), ...(await run(many)) };
  }, 120_000);

  test.each(responses)('the response %s has the documented outcome', (response, sequence) => {
    const { attempts, says = /./, ...expected } = sequence.at(-1) as Expected;
    const { kind, text = '', requestId, value = '' } = outcomes[response] ?? {};
    expect(outcomes[response]).toMatchObject(expected);
    if (attempts !== undefined) expect(server.requests(response, name)).toHaveLength(attempts);
    if (kind !== 'ok') expect(text).toMatch(says);
    const texts = `${text} ${requestId} ${JSON.stringify(value).replaceAll(wallet, '')}`;
    for (const secret of [KEY, wallet]) expect(texts).not.toContain(secret);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters of terminals
    expect(text).not.toMatch(/\u001b\[31/);
  });

  test('waits as long as the service asks', () => {
    const [first, second] = server.requests('patient', name);
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThan(990);
  });

  test('returns a result unchanged, with the id, the evidence and the mark of its response', () => {
    const { onChainAddress } = RESULT.attestations[0] ?? {};
    const [url, body] = [server.url('good', name), JSON.stringify(RESULT)];
    expect(outcomes['good']?.value).toMatchObject({
      result: { ...RESULT, requestId: 'r-6' },
      evidence: {
        url: `${url}/pohAttestationsEndpoint?wallet=${wallet}`,
        ...{ body, requestId: 'r-6', signatureInput: 'poh=()', signature: 'poh=:AA==:' },
      },
      walletMark: onChainAddress,
    });
    expect(outcomes['compressed']?.value).toMatchObject({ result: { ...RESULT, requestId: '' } });
    expect(outcomes['laterVersion']?.value).toMatchObject({
      result: { hasVerifiedHuman: true, attestations: [{ attestationType: 9 }, {}] },
      walletMark: null,
    });
  });

  test.each(Object.keys(UNUSABLE))('refuses %s with a clear message', (title) => {
    const { kind, text = '' } = outcomes[title] ?? {};
    expect(kind).toBe('invalid');
    expect(text).not.toContain(KEY);
    expect(text.replaceAll(/File .*/g, '')).not.toContain(HOST);
  });

  test('keeps the code if it contains the subject', () => {
    expect(outcomes['short']).toMatchObject({ kind: 'refused', code: 'new_code' });
  });

  test.each(Object.keys(EMPTY))('refuses %s as the subject without a request', (title) => {
    const expected = { kind: 'refused', status: 0, code: 'missing_subject' };
    expect(outcomes[title]).toMatchObject(expected);
    expect(server.requests('good', `${name}-none`)).toEqual([]);
  });

  test.each(Object.keys(TYPED))('sends the typed subject as %s', (query) => {
    const agent = `poh-attestations-${name.split('-')[0]?.toLowerCase()}/1.`;
    const [request] = server.requests('good', `${name}-${query}`);
    expect(request?.sent).toMatch(`${query} ${KEY} ${agent}`);
    expect(outcomes[query]).toMatchObject({ kind: 'ok' });
  });

  const found = (response: string) => outcomes[`many ${response}`]?.value as Found[];
  const countHumans = (response: string) => found(response).filter(({ isHuman }) => isHuman).length;
  const requests = (response: string) => server.requests(response, `${name}-many`);

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
    expect(countHumans('crowd')).toBe(60);
    expect(server.maxConcurrent.get(`crowd ${name}-many`)).toBe(CROWD);
    expect(found('good')).toEqual([]);
  });

  test('sends no request twice after a time-out, also on a connection that it reuses', () => {
    expect(found('stopping').map(({ isHuman }) => isHuman)).toEqual([true, null]);
    // Fewer if an attempt times out before its request arrives.
    const repeated = requests('stopping').filter(({ sent }) => sent.startsWith('token=t-1'));
    expect(repeated.length).toBeLessThan(5);
  });

  test('sends none of many requests before the time that the service asked one to wait for', () => {
    expect(countHumans('pausing')).toBe(6);
    const [first, , third] = requests('pausing');
    expect(Number(third?.at) - Number(first?.at)).toBeGreaterThan(1_990);
  });

  test('sends nothing more if the service asks one of many lookups to wait for years', () => {
    expect(found('askingForYears').map(({ isHuman }) => isHuman)).toEqual(TOKENS.map(() => null));
    expect(requests('askingForYears').length).toBeLessThanOrEqual(CROWD);
  });

  test('ends many lookups when the key is refused', () => {
    expect(outcomes['many unauthorized']).toMatchObject({ kind: 'refused', code: 'unauthorized' });
    expect(requests('unauthorized').length).toBeLessThan(20);
  });
});

test('no client sends anything to the server of a redirect', () =>
  expect(server.leakedRequests).toEqual([]));
