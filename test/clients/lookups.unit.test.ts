// Tests single lookups. The server redirects, truncates, stalls, lies and echoes requests, and addresses, keys and
// subjects are pasted badly. Neither the key nor the subject may leak.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { type Expected, RESPONSES, RESULT } from './responses.ts';
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

/** Subjects as typed, and the queries to send. */
const TYPED: readonly (readonly [Record<string, string>, string])[] = [
  [{ token: ` ${token}\n` }, `token=${token}`],
  [{ token: `\ufeff${token}\r\n` }, `token=${token}`],
  [{ wallet: `\t${wallet} ` }, `wallet=${wallet}`],
  [{ email: ' al+vote@example.com ' }, 'email=al%2Bvote%40example.com'],
  [{ email: 'al vote@example.com' }, 'email=al%20vote%40example.com'],
  [{ email: 'a&wallet=b@example.com' }, 'email=a%26wallet%3Db%40example.com'],
  [{ email: 'j\u00fcrg@example.com' }, 'email=j%C3%BCrg%40example.com'],
  [{ token: 'a\nb' }, 'token=a%0Ab'],
  [{ token, wallet: ' ' }, `token=${token}`],
];

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
      const url = server.url(response, client);
      jobs[title] = { action: 'lookUp', url, key: KEY, subject: { wallet }, ...job };
    };
    for (const [response] of responses)
      add(response, response, name, { timeout: deadlineOf(response) });
    // The client's own transport, which may follow redirects.
    for (const response of ['good', 'redirectWithBody']) {
      const { host, pathname } = new URL(server.url(response, `${name}-own`));
      add(`own ${response}`, '', '', { url: `http://localhost:1${pathname}`, through: host });
    }
    for (const [title, job] of Object.entries(UNUSABLE)) add(title, 'good', `${name}-none`, job);
    // A letter that the code contains.
    add('short', 'unknownCode', `${name}-short`, { subject: { token: 'e' } });
    for (const [title, subject] of Object.entries(EMPTY))
      add(title, 'good', `${name}-none`, { subject });
    for (const [index, [subject]] of TYPED.entries()) {
      const url = ` ${server.url('good', `${name}-${index}`)}/ `;
      add(`typed ${index}`, '', '', { url, subject, key: `\ufeff ${KEY}\r\n` });
    }
    outcomes = await run(jobs);
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

  test('also looks up with a transport of its user, and does not follow redirects with it', () => {
    expect(outcomes['own good']).toMatchObject({ kind: 'ok' });
    expect(outcomes['own redirectWithBody']).toMatchObject({ code: 'not_the_service' });
  });

  test('waits as long as the service asks', () => {
    const [first, second] = server.requests('patient', name);
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThan(990);
  });

  test('returns a result unchanged, with the id of its response', () => {
    const value = (requestId: string) => ({ result: { ...RESULT, requestId } });
    expect(outcomes['compressed']?.value).toMatchObject(value(''));
    expect(outcomes['good']?.value).toMatchObject(value('r-6'));
    expect(outcomes['laterVersion']?.value).toMatchObject({
      result: { hasVerifiedHuman: true, attestations: [{ attestationType: 9 }] },
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

  test.each(TYPED.map(([subject, query], index) => ({ subject, query, index })))(
    'sends $subject as $query',
    ({ query, index }) => {
      const agent = `poh-attestations-${name.split('-')[0]?.toLowerCase()}/1.`;
      const [request] = server.requests('good', `${name}-${index}`);
      expect(request?.sent).toMatch(`${query} ${KEY} ${agent}`);
      expect(outcomes[`typed ${index}`]).toMatchObject({ kind: 'ok' });
    },
  );
});

test('no client sends anything to the server of a redirect', () =>
  expect(server.leakedRequests).toEqual([]));
