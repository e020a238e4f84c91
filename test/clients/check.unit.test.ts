// Tests the package's command that looks up a file of voters, and the operator that stands in for tests of integrators.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Client, PohError } from '../../clients/typescript/client.ts';
import type { CODES } from '../../clients/typescript/result.ts';
import { answering } from '../../clients/typescript/testing.ts';
import { KEY_SET_PATH } from '../../contract/endpoint.ts';
import { ERRORS } from '../../contract/errors.ts';
import { lookupResultSchema } from '../../contract/schemas.ts';
import { createSigner, parseSigningKey } from '../../functions/src/signatures/sign.ts';
import {
  DEMONSTRATION_SIGNING_KEY,
  pemOf,
  publicKeySetOf,
} from '../../tools/sandbox/demonstrationKey.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { runProgram } from '../guide/samples.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const answer = answering({
  ...{ 'a-human': 'human', 'a-lapsed': 'pending' },
  ...{ 'old;token': 'token_not_found', 'no-key': 'unauthorized' },
});
const sign = createSigner(parseSigningKey(pemOf(DEMONSTRATION_SIGNING_KEY)), Date.now);
const asked: string[] = [];
let isDown = false;
const platform = createServer(async ({ url = '' }, response) => {
  if (url === KEY_SET_PATH)
    return void response.end(JSON.stringify(publicKeySetOf(DEMONSTRATION_SIGNING_KEY)));
  const query = url.split('?')[1] ?? '';
  asked.push(query);
  // For so long that the run ends.
  if (isDown && query.includes('last'))
    return void response.writeHead(503, { 'Retry-After': '9999' }).end();
  const init = { headers: {}, redirect: 'manual', signal: AbortSignal.timeout(60_000) } as const;
  const { status, body } = await answer(`https://poh.example${url}`, init);
  const text = await new Response(body as ReadableStream).text();
  const contentType = 'application/json; charset=utf-8';
  const isSigned = !query.includes('unsigned');
  const signed = isSigned && sign({ status, contentType, requestId: 'r-1', query, body: text });
  response.writeHead(status, { 'Content-Type': contentType, 'X-Request-Id': 'r-1', ...signed });
  response.end(text);
});
const address = `http://127.0.0.1:${await listen(platform)}`;
afterAll(() => void platform.close());

const folder = temporaryFolder();
const path = (name: string): string => join(folder, name);
const read = (name: string): string => readFileSync(path(name), 'utf8');
const modeOf = (name: string): string => (statSync(path(name)).mode & 0o777).toString(8);
const run = (...words: readonly string[]) =>
  runProgram(process.execPath, [join(process.cwd(), 'clients/typescript/command.ts'), ...words], {
    cwd: folder,
    env: { POH_URL: address, POH_KEY: 'a-key' },
  });

describe('poh-attestations check', () => {
  test('writes a row of results for each voter, whose evidence is valid', async () => {
    const voters =
      '\ufeffName;E-Mail;Token\r\n"Ada ""A""; L";a@b.c;a-human\r\nBo,b;;a-lapsed\r\n\r\nC\ty;;\r\n"D\nE";;"old;token"';
    writeFileSync(path('voters.csv'), voters);
    const words = ['voters.csv', '--out', 'results.csv', '--token', 'Token', '--evidence', 'proof'];
    const { status, stderr } = await run('check', ...words);
    const [one, two] = ['4 of 4, 0 s left', '1 verified humans, 1 not verified, 2 refused'];
    expect(stderr).toBe(`${one}\n${two} (see "code"), 0 without an answer\n`);
    expect(status).toBe(0);
    const mark = /(ahuman2mB2\w+)/.exec(read('results.csv'))?.[1];
    expect(
      read('results.csv'),
    ).toBe(`row;Name;E-Mail;Token;hasVerifiedHuman;walletMark;code;requestId
1;"Ada ""A""; L";a@b.c;a-human;true;${mark};;r-1
2;"Bo,b";;a-lapsed;false;;;r-1
3;"C\ty";;;;;missing_subject;
4;"D\nE";;"old;token";;;token_not_found;a-request\n`);
    expect(readdirSync(path('proof')).sort()).toEqual(['1.json', '2.json', '4.json', 'keys.jwks']);
    expect(['results.csv', 'proof', 'proof/4.json'].map(modeOf)).toEqual(['600', '700', '600']);
    const verified = await run('verify', 'proof', '--keys', 'proof/keys.jwks');
    expect(verified).toMatchObject({ status: 0, stderr: '3 valid, 0 not valid\n' });
    expect(verified.stdout).toContain('returned: HTTP 404 token_not_found');
  });

  test('goes on after an outage or an interruption, and asks only for the rest', async () => {
    // A letter of several bytes, and so many rows that their numbers sort otherwise as texts.
    const rows = [...Array(10).fill('a-human'), 'last', 'a-human'];
    const text = ['Name\t E-Mail ', ...rows.map((email) => `Zoë\t${email}`)].join('\n');
    writeFileSync(path('many.csv'), text);
    const words = ['check', 'many.csv', '--out', 'many-out.csv', '--at-once', '1'];
    isDown = true;
    const first = await run(...words);
    expect(first.stderr).toMatch(
      /2 without an answer\nThe service asked for too long a wait.*\nRun the same/,
    );
    expect(first.status).toBe(1);
    expect(modeOf('many-out.csv')).toBe('600');
    // As if it was interrupted while it wrote the tenth row.
    writeFileSync(path('many-out.csv'), read('many-out.csv').slice(0, -9));
    asked.length = 0;
    expect(await run(...words)).toMatchObject({ status: 1 });
    isDown = false;
    const last = await run(...words);
    expect(last.stderr).toMatch(
      /^12 of 12, 0 s left\n11 verified humans, 0 not verified, 1 refused/,
    );
    expect(last.status).toBe(0);
    // One at a time, until the outage.
    expect(asked).toEqual(['email=a-human', 'email=last', 'email=last', 'email=a-human']);
    const numbers = read('many-out.csv').match(/^\w+/gm);
    expect(numbers).toEqual(['row', ...rows.map((_, index) => `${index + 1}`)]);
  });

  test.each<[string, string, string, string?]>([
    ['no column of subjects', 'name\nAda\n', 'has 0 columns of subjects'],
    ['two columns of subjects', 'wallet,email\na,b\n', 'has 2 columns of subjects'],
    ['quotes that do not fit', 'wallet\n"a"b\n', 'the quotes in row 2 do not fit'],
    ['results of another file', 'wallet\nother\n', 'has other content', 'wallet\na\n'],
    ['a refused key', 'wallet\nno-key\n', 'HTTP 401 unauthorized'],
    ['evidence of an operator that does not sign', 'wallet\nunsigned\n', 'it gives no evidence'],
  ])('ends with status 2 for %s', async (title, voters, message, before) => {
    const [file, out] = [`${title}.csv`, `${title}-out.csv`];
    writeFileSync(path(file), voters);
    if (before !== undefined) writeFileSync(path(out), before);
    const words = ['check', file, '--out', out, '--evidence', `${title}-proof`];
    const { status, stderr } = await run(...words);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
    if (before !== undefined) expect(read(out)).toBe(before);
  });
});

describe('poh-attestations/testing', () => {
  const client = (answers: Parameters<typeof answering>[0]) =>
    new Client({ url: 'https://poh.example', key: 'a-key', pause: 0, fetch: answering(answers) });

  test.each(Object.entries(ERRORS))('plays %s', async (code, { status }) => {
    const lookup = client({ w: code as keyof typeof CODES }).lookUp({ wallet: 'w' });
    await expect(lookup).rejects.toMatchObject({ code, status });
  });

  test('plays people as the contract describes them, and unknown ones', async () => {
    // As long as an address.
    const wallets = ['h', 'p', 'n'].map((letter) => letter.repeat(40));
    const [human = '', pending = ''] = wallets;
    const answers = { [human]: 'human', [pending]: 'pending', down: 'unreachable' } as const;
    const poh = client({ ...answers, voter: { hasVoted: true, votedCount: 2 } });
    const people = [];
    for (const wallet of wallets) {
      const { requestId, ...result } = await poh.lookUp({ wallet });
      const { hasVerifiedHuman, count } = lookupResultSchema.parse(result);
      people.push(`${hasVerifiedHuman} ${count}`);
    }
    expect(people).toEqual(['true 1', 'false 1', 'false 0']);
    const voter = { hasVerifiedHuman: true, votedCount: 2 };
    expect(await poh.lookUp({ token: 'voter' })).toMatchObject(voter);
    await expect(poh.lookUp({ email: 'x' })).rejects.toMatchObject({ code: 'email_not_found' });
    await expect(poh.lookUp({ token: 'x' })).rejects.toMatchObject({ code: 'token_not_found' });
    await expect(poh.lookUp({ token: 'down' })).rejects.toThrow(PohError);
  });
});
