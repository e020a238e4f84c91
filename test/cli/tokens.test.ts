// Tests `tokens` against the emulators.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readPages } from '../../cli/frame/reads.ts';
import { writeTokenRevocations } from '../../cli/tokens/records.ts';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { newTokenRecord } from '../../records/verificationToken.ts';
import { openEmulators, writeToken } from '../../tools/sandbox/demonstration.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { send } from '../support/http.ts';
import { randomWallet, seedKey, seedToken } from '../support/seed.ts';
import { expectOk, runAdmin } from './adminCommand.ts';

const { db } = openEmulators();

const tokens = (...words: string[]) => runAdmin(['tokens', ...words]);

async function codes(token: string): Promise<unknown[]> {
  const key = await seedKey();
  const responses = await Promise.all(
    ENDPOINTS.map(([, endpoint]) => send(endpoint, { key, target: `?token=${token}` })),
  );
  return responses.map(({ status, json }) => json.code ?? status);
}

test('an admin lists and revokes a token', async () => {
  const wallet = randomWallet();
  const expired = await seedToken(wallet, { createdAt: new Date(Date.now() - 25 * HOUR_MS) });
  const token = await seedToken(wallet, { project: 'Test DAO' });
  expect(await codes(token)).toEqual([200, 200]);

  const list = async (): Promise<string> => expectOk(await tokens('list', '--wallet', wallet));
  expect(await list()).toMatch(
    new RegExp(
      `^TOKEN .*\n${expired} +expired .*\n${token} +valid +20\\S+ \\S+ +\\S+ +Test DAO\n$`,
    ),
  );

  expect(await tokens('revoke', token.toUpperCase())).toMatchObject({ status: 0, stdout: '' });
  expect(await codes(token)).toEqual(['token_not_found', 'token_not_found']);
  const unknown = await tokens('revoke', randomUUID());
  expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('does not exist') });
  expect(await list()).toMatch(new RegExp(`\n${token} +revoked `));
});

test('an id in upper case, which no lookup finds, is listed as unusable', async () => {
  const [wallet, id] = [randomWallet(), randomUUID().toUpperCase()];
  await writeToken(id, wallet);
  expect((await tokens('list', '--wallet', wallet)).stdout).toContain(`${id}  unusable`);
});

test.each([
  [2, [2, 2, 1]],
  [5, [5, 0]],
])('documents are read in pages of %i, each document once', async (pageDocuments, sizes) => {
  const wallet = randomWallet();
  const made = await Promise.all(Array.from({ length: 5 }, () => seedToken(wallet)));
  const query = db.collection('verificationTokens').where('wallet', '==', wallet);
  const pages: string[][] = [];
  for await (const page of readPages(query, pageDocuments)) pages.push(page.map(({ id }) => id));
  expect(pages.map(({ length }) => length)).toEqual(sizes);
  expect(pages.flat()).toEqual(made.sort());
});

test.each<[string, (wallet: string, uid: string) => string[]]>([
  ['a wallet', (wallet) => ['--wallet', wallet]],
  ['a user', (_, uid) => ['--uid', uid]],
])('all tokens of %s are revoked, and no others', async (_, words) => {
  const [wallet, uid] = [randomWallet(), randomUUID()];
  const first = await seedToken(wallet, { uid });
  const second = await seedToken(wallet, { uid });
  const other = await seedToken(randomWallet());
  await seedToken(wallet, { uid, createdAt: new Date(Date.now() - 25 * HOUR_MS) });
  // It becomes valid later.
  const early = await seedToken(wallet, { uid, createdAt: new Date(Date.now() + HOUR_MS) });
  const { status, stderr } = await tokens('revoke', ...words(wallet, uid));
  expect(stderr).toContain('Revoked 3 tokens (1 had already expired or been revoked)');
  expect((await db.collection('verificationTokens').doc(early).get()).get('revoked')).toBe(true);
  expect(status).toBe(0);
  const records = await db.getAll(
    ...[first, second, other].map((token) => db.doc(`verificationTokens/${token}`)),
  );
  expect(records.map((record) => record.get('revoked'))).toEqual([true, true, false]);
  expect(await codes(first)).toEqual(['token_not_found', 'token_not_found']);
  const again = await tokens('revoke', ...words(wallet, uid));
  expect(again.stderr).toContain('(4 had already expired or been revoked)');
});

test('a token that Firestore deletes meanwhile, because it is old, is no failure', async () => {
  const wallet = randomWallet();
  const writer = db.bulkWriter();
  const records = db.collection('verificationTokens');
  // One more than is revoked at a time.
  for (let made = 0; made < 501; made += 1) {
    void writer.create(records.doc(randomUUID()), newTokenRecord(wallet, 'uid', new Date()));
  }
  await writer.close();
  const counts = [];
  for await (const count of writeTokenRevocations(db, ['wallet', wallet], Date.now())) {
    counts.push(count);
    const { docs } = await records.where('wallet', '==', wallet).get();
    await Promise.all(docs.map(({ ref }) => ref.delete()));
  }
  expect(counts).toEqual([500, 501].map((revoked) => ({ read: 501, revoked })));
});
