// Tests how the clients parse pasted addresses, keys and subjects.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { type Job, LANGUAGES, type Outcome } from './drivers.ts';
import { type HostileServer, startHostileServer } from './hostileServer.ts';

const KEY = 'a-key-that-nobody-may-see';
const HOST = 'nobody-may-see-this';
const { wallet, token } = DEMONSTRATION;

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

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.concurrent.each(LANGUAGES)('$name', ({ name, run }) => {
  const jobs = new Map<string, Job>();
  const outcomes = new Map<string, Outcome | undefined>();
  const lookUp = (job: Partial<Job>): Job => ({
    action: 'lookUp',
    url: server.url('good', `${name}-any`),
    key: KEY,
    subject: { wallet },
    ...job,
  });

  beforeAll(async () => {
    for (const [title, job] of Object.entries(UNUSABLE)) jobs.set(title, lookUp(job));
    jobs.set('empty', lookUp({ subject: { token: ' \n' } }));
    TYPED.forEach(([subject], index) => {
      jobs.set(
        `typed ${index}`,
        lookUp({
          subject,
          key: `\ufeff ${KEY}\r\n`,
          url: ` ${server.url('good', `${name}-${index}`)}/ `,
        }),
      );
    });
    const found = await run([...jobs.values()]);
    [...jobs.keys()].forEach((title, index) => {
      outcomes.set(title, found[index]);
    });
  }, 120_000);

  test.each(Object.entries(UNUSABLE))('refuses %s with a clear message', (title) => {
    const { kind, text = '' } = outcomes.get(title) ?? {};
    expect(kind).toBe('invalid');
    expect(text).not.toContain(KEY);
    expect(text.replaceAll(/File .*/g, '')).not.toContain(HOST);
  });

  test('refuses an empty subject without a request', () => {
    expect(outcomes.get('empty')).toMatchObject({
      kind: 'refused',
      status: 0,
      code: 'missing_subject',
    });
    expect(server.times.has(`good ${name}-any`)).toBe(false);
  });

  test.each(TYPED.map(([subject, query], index) => ({ subject, query, index })))(
    'sends $subject as $query',
    ({ subject, query, index }) => {
      expect(server.sent.get(`good ${name}-${index}`)?.[0]).toMatch(
        `${query} ${KEY} poh-attestations-${name.split('-')[0]?.toLowerCase()}/1.`,
      );
      const kind = Object.keys(subject)[0] === 'wallet' ? 'ok' : expect.any(String);
      expect(outcomes.get(`typed ${index}`)).toMatchObject({ kind });
    },
  );
});
