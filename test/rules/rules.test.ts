// Tests firestore.rules for users with the real emulators. Each denied request differs from an
// allowed one in a single respect.

import { randomUUID } from 'node:crypto';
import { deleteField, serverTimestamp } from 'firebase/firestore/lite';
import { describe, expect, test } from 'vitest';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { BAD_NAMES, GOOD_NAMES } from '../records/names.ts';
import { makeAccount, signIn, signInAnonymously } from '../support/client.ts';
import { randomWallet, seedAdmin, seedKey, seedWallet } from '../support/seed.ts';
import {
  by,
  type Change,
  create,
  DENIED,
  field,
  fromNow,
  get,
  list,
  nobody,
  type Request,
  remove,
  send,
  update,
} from './requests.ts';

const { auth, db } = openEmulators();

const wallet = await seedWallet({ attestationType: 0 });
const account = await makeAccount();
/** The owner with an ID token that is older than the wallet on the account. */
const ownerWithoutClaim = await signIn(account);
await auth.setCustomUserClaims(account.uid, { wallet: 7 });
const ownerWithNumber = await signIn(account);
await auth.setCustomUserClaims(account.uid, { wallet });
const owner = await signIn(account);
const other = await signIn(await makeAccount({ wallet }));

const tokenPath = (id: string = randomUUID()): string => `verificationTokens/${id}`;

/** @returns an allowed request to store a token */
const creation = (): Request => ({
  user: owner,
  path: tokenPath(),
  fields: { wallet, uid: owner.uid, createdAt: serverTimestamp(), revoked: false },
});

const DENIED_CREATIONS: readonly (readonly [string, Change])[] = [
  ['not signed in', { user: nobody }],
  ['signed in anonymously', by('uid', await signInAnonymously())],
  ['an ID token without the claim', { user: ownerWithoutClaim }],
  ['a claim that is not a string', { user: ownerWithNumber, fields: { wallet: 7 } }],
  ['another wallet', field('wallet', randomWallet())],
  ["another's uid", field('uid', other.uid)],
  ['back-dated', field('createdAt', fromNow(-1))],
  ['dated in the future', field('createdAt', fromNow(1))],
  ["dated by the client's clock", field('createdAt', new Date())],
  ['dated with a string', field('createdAt', new Date().toISOString())],
  ['a token that is revoked', field('revoked', true)],
  ['revoked as a string', field('revoked', 'false')],
  ['an extra field', field('remark', 'x')],
  ...BAD_NAMES.map(([what, text]) => [`a project with ${what}`, field('project', text)] as const),
  ['a note of two lines', field('note', 'a\nb')],
  ...[7, null, true, ['x']].flatMap((value) =>
    ['project', 'note'].map(
      (name) => [`a ${name} that is ${JSON.stringify(value)}`, field(name, value)] as const,
    ),
  ),
  ...['wallet', 'uid', 'createdAt', 'revoked'].map(
    (name) => [`no ${name}`, field(name, undefined)] as const,
  ),
  ['an id that is not a UUID', { path: tokenPath(`token-${randomUUID().slice(6)}`) }],
  ['an id in upper case', { path: tokenPath(randomUUID().toUpperCase()) }],
  [
    'an id of another UUID version',
    { path: tokenPath(randomUUID().replace(/-4(...-....-.{12})$/, '-1$1')) },
  ],
  [
    'an id of another UUID variant',
    { path: tokenPath(randomUUID().replace(/-.(...-.{12})$/, '-c$1')) },
  ],
  ['an id with a character before the UUID', { path: tokenPath(`0${randomUUID()}`) }],
  ['an id with a character after the UUID', { path: tokenPath(`${randomUUID()}0`) }],
  ['an id with a line feed after it', { path: tokenPath(`${randomUUID()}\n`) }],
  ['another collection', { path: tokenPath().replace('verification', 'other') }],
  ['in a subcollection of a token', { path: `${tokenPath()}/${tokenPath()}` }],
];

describe('creating a token', () => {
  test.each(DENIED_CREATIONS)('is denied: %s', async (_, change) => {
    expect(await send(creation(), change)).toBe(DENIED);
  });

  test('is allowed for the owner of the wallet, but not twice, which would extend the 24 hours', async () => {
    const first = creation();
    expect(await send(first)).toBe('OK');
    expect(await send(first)).toBe(DENIED);
  });

  test.each(GOOD_NAMES)('may name a project and a note: %s', async (name) => {
    const change = { fields: { project: name, note: name } };
    expect(await send(creation(), change)).toBe('OK');
  });
});

/** Stores a token of the owner. @returns an allowed request to revoke it */
async function revocation(): Promise<Request> {
  const made = creation();
  expect(await send(made)).toBe('OK');
  return { user: owner, path: made.path, fields: { revoked: true }, isUpdate: true };
}

const DENIED_UPDATES: readonly (readonly [string, Change])[] = [
  ['not signed in', { user: nobody }],
  ["another's token", { user: other }],
  ['revoked stays false', field('revoked', false)],
  ['revoked becomes a string', field('revoked', 'true')],
  ['revoked is removed', field('revoked', deleteField())],
  ['createdAt changes', field('createdAt', fromNow(1))],
  ['createdAt becomes the current time', field('createdAt', serverTimestamp())],
  ['createdAt is removed', field('createdAt', deleteField())],
  ['wallet changes', field('wallet', randomWallet())],
  ['uid changes', field('uid', other.uid)],
  ['a note is added', field('note', 'x')],
  ['a project is added', field('project', 'x')],
];

describe('revoking a token', () => {
  test.each([
    ['its owner', owner],
    ['its owner whose wallet was removed', ownerWithoutClaim],
  ])('is allowed for %s', async (_, user) => {
    expect(await send(await revocation(), { user })).toBe('OK');
  });

  test('is allowed if the record has no `revoked`, which means not revoked', async () => {
    const path = tokenPath();
    await db.doc(path).set({ wallet, uid: owner.uid, createdAt: new Date() });
    expect(await send(await revocation(), { path })).toBe('OK');
    expect(await send(await revocation(), { path })).toBe(DENIED);
  });

  test.each(DENIED_UPDATES)('is denied: %s', async (_, change) => {
    expect(await send(await revocation(), change)).toBe(DENIED);
  });

  test.each([
    ['undone', false],
    ['repeated', true],
  ])('is final and cannot be %s', async (_, revoked) => {
    const allowed = await revocation();
    expect(await send(allowed)).toBe('OK');
    expect(await send(allowed, field('revoked', revoked))).toBe(DENIED);
  });

  test('does not include deleting, which is denied', async () => {
    const { path } = await revocation();
    expect(await remove(owner, path)).toBe(DENIED);
  });
});

describe('reading tokens', () => {
  const ownTokens = { uid: owner.uid };

  test.each([
    ['their owner', owner],
    ['their owner whose wallet was removed', ownerWithoutClaim],
  ])('is allowed for %s, one or all', async (_, user) => {
    const { path } = await revocation();
    expect(await get(user, path)).toBe('OK');
    expect(await list(user, 'verificationTokens', ownTokens)).toBe('OK');
  });

  test.each([
    ["another's", other],
    ['not signed in', nobody],
  ])('is denied: %s', async (_, user) => {
    const { path } = await revocation();
    expect(await get(user, path)).toBe(DENIED);
    expect(await list(user, 'verificationTokens', ownTokens)).toBe(DENIED);
  });

  test.each([
    ["another's", { uid: other.uid }],
    ['all', {}],
    ['all tokens of the user’s wallet', { wallet }],
  ])('is denied: listing %s', async (_, equal) => {
    expect(await list(owner, 'verificationTokens', equal)).toBe(DENIED);
  });

  test('is denied: one that does not exist', async () => {
    expect(await get(owner, tokenPath())).toBe(DENIED);
  });
});

describe.each([
  ['a signed-in user', owner],
  ['somebody who is not signed in', nobody],
])('every other collection is closed to %s', (_, user) => {
  test.each(['apiKeys', 'attestations', 'admins'])('%s', async (collection) => {
    await Promise.all([seedKey(), seedAdmin()]);
    const all = db.collection(collection).limit(1);
    // Not even those of the user's own wallet.
    const own = collection === 'attestations' ? all.where('wallet', '==', wallet) : all;
    const [stored] = (await own.get()).docs;
    const path = stored?.ref.path ?? '';
    const active = { active: true };
    const outcomes = {
      get: await get(user, path),
      list: await list(user, collection),
      listOwn: await list(user, collection, { wallet }),
      create: await create(user, `${collection}/${randomUUID()}`, active),
      update: await update(user, path, active),
      delete: await remove(user, path),
    };
    expect(new Set(Object.values(outcomes))).toEqual(new Set([DENIED]));
  });
});

test('everybody may read the state of the mirror, and nobody may list or change it', async () => {
  for (const user of [owner, nobody]) {
    expect(await get(user, 'status/mirror')).toBe('OK');
    expect(await get(user, 'status/other')).toBe(DENIED);
    expect(await list(user, 'status')).toBe(DENIED);
    expect(await create(user, 'status/mirror', { notice: 'y' })).toBe(DENIED);
    expect(await update(user, 'status/mirror', { notice: 'y' })).toBe(DENIED);
    expect(await remove(user, 'status/mirror')).toBe(DENIED);
  }
});
