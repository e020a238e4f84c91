// Tests firestore.rules for users with the real emulators. Each denied request differs from an
// allowed one in a single respect.

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import {
  bool,
  type Fields,
  get,
  instant,
  list,
  makeAccount,
  remove,
  SERVER_TIME,
  signIn,
  signInAnonymously,
  text,
  type User,
  write,
} from '../support/client.ts';
import { randomWallet, seedAdmin, seedKey, seedWallet } from '../support/seed.ts';
import {
  also,
  by,
  type Change,
  DENIED,
  field,
  HOUR_MS,
  nobody,
  type Request,
  send,
  without,
} from './requests.ts';

const { auth, db } = openEmulators();

const wallet = randomWallet();
let owner: User;
/** The owner with an ID token that is older than the wallet on the account. */
let ownerWithoutClaim: User;
let ownerWithNumber: User;
let other: User;
let anonymous: User;

beforeAll(async () => {
  const account = await makeAccount();
  ownerWithoutClaim = await signIn(account);
  await auth.setCustomUserClaims(account.uid, { wallet: 7 });
  ownerWithNumber = await signIn(account);
  await auth.setCustomUserClaims(account.uid, { wallet });
  owner = await signIn(account);
  other = await signIn(await makeAccount({ wallet }));
  anonymous = await signInAnonymously();
});

const tokenPath = (id: string = randomUUID()): string => `verificationTokens/${id}`;

/** @returns an allowed request to store a token */
const creation = (): Request => ({
  user: owner,
  path: tokenPath(),
  fields: {
    wallet: text(wallet),
    uid: text(owner.uid),
    createdAt: SERVER_TIME,
    revoked: bool(false),
  },
});

const DENIED_CREATIONS: readonly (readonly [string, Change])[] = [
  ['not signed in', () => ({ user: nobody })],
  ['signed in anonymously', by('uid', () => anonymous)],
  ['an ID token without the claim', () => ({ user: ownerWithoutClaim })],
  [
    'a claim that is not a string',
    ({ fields }) => ({
      user: ownerWithNumber,
      fields: { ...fields, wallet: { integerValue: '7' } },
    }),
  ],
  ['another wallet', field('wallet', () => text(randomWallet()))],
  ["another's uid", field('uid', () => text(other.uid))],
  ['back-dated', field('createdAt', () => instant(Date.now() - HOUR_MS))],
  ['dated in the future', field('createdAt', () => instant(Date.now() + HOUR_MS))],
  ["dated by the client's clock", field('createdAt', () => instant(Date.now()))],
  ['dated with a string', field('createdAt', () => text(new Date().toISOString()))],
  ['a token that is revoked', field('revoked', () => bool(true))],
  ['revoked as a string', field('revoked', () => text('false'))],
  ['an extra field', field('note', () => text('x'))],
  ['no wallet', ({ fields }) => ({ fields: without(fields, 'wallet') })],
  ['no uid', ({ fields }) => ({ fields: without(fields, 'uid') })],
  ['no createdAt', ({ fields }) => ({ fields: without(fields, 'createdAt') })],
  ['no revoked', ({ fields }) => ({ fields: without(fields, 'revoked') })],
  ['an id that is not a UUID', () => ({ path: tokenPath(`token-${randomUUID().slice(6)}`) })],
  ['an id in upper case', () => ({ path: tokenPath(randomUUID().toUpperCase()) })],
  [
    'an id of another UUID version',
    () => ({ path: tokenPath(randomUUID().replace(/-4(...-....-.{12})$/, '-1$1')) }),
  ],
  [
    'an id of another UUID variant',
    () => ({ path: tokenPath(randomUUID().replace(/-.(...-.{12})$/, '-c$1')) }),
  ],
  ['an id with a character before the UUID', () => ({ path: tokenPath(`0${randomUUID()}`) })],
  ['an id with a character after the UUID', () => ({ path: tokenPath(`${randomUUID()}0`) })],
  ['an id with a line feed after it', () => ({ path: tokenPath(`${randomUUID()}\n`) })],
  ['another collection', ({ path }) => ({ path: path.replace('verification', 'other') })],
  [
    'in a subcollection of a token',
    ({ path }) => ({ path: `${path}/verificationTokens/${randomUUID()}` }),
  ],
];

describe('creating a token', () => {
  test.each(DENIED_CREATIONS)('is denied: %s', async (_, change) => {
    const allowed = creation();
    expect(await send({ ...allowed, ...change(allowed) })).toBe(DENIED);
  });

  test('is allowed for the owner of the wallet, but not twice, which would extend the 24 hours', async () => {
    const first = creation();
    expect(await send(first)).toBe('OK');
    expect(await send(first)).toBe(DENIED);
  });
});

/** Stores a token of the owner. @returns an allowed request to revoke it */
async function revocation(): Promise<Request> {
  const made = creation();
  expect(await send(made)).toBe('OK');
  return { user: owner, path: made.path, fields: { revoked: bool(true) }, mask: ['revoked'] };
}

const DENIED_UPDATES: readonly (readonly [string, Change])[] = [
  ['not signed in', () => ({ user: nobody })],
  ["another's token", () => ({ user: other })],
  ['revoked stays false', field('revoked', () => bool(false))],
  ['revoked becomes a string', field('revoked', () => text('true'))],
  ['revoked is removed', () => ({ fields: {} })],
  ['createdAt changes', also('createdAt', () => instant(Date.now() + HOUR_MS))],
  ['createdAt becomes the current time', also('createdAt', () => SERVER_TIME)],
  ['createdAt is removed', ({ mask = [] }) => ({ mask: [...mask, 'createdAt'] })],
  ['wallet changes', also('wallet', () => text(randomWallet()))],
  ['uid changes', also('uid', () => text(other.uid))],
  ['a field is added', also('note', () => text('x'))],
];

describe('revoking a token', () => {
  test.each<readonly [string, () => User]>([
    ['its owner', () => owner],
    ['its owner whose wallet was removed', () => ownerWithoutClaim],
  ])('is allowed for %s', async (_, user) => {
    expect(await send({ ...(await revocation()), user: user() })).toBe('OK');
  });

  test('is allowed if the record has no `revoked`, which means not revoked', async () => {
    const path = tokenPath();
    await db.doc(path).set({ wallet, uid: owner.uid, createdAt: new Date() });
    expect(await send({ ...(await revocation()), path })).toBe('OK');
    expect(await send({ ...(await revocation()), path })).toBe(DENIED);
  });

  test.each(DENIED_UPDATES)('is denied: %s', async (_, change) => {
    const allowed = await revocation();
    expect(await send({ ...allowed, ...change(allowed) })).toBe(DENIED);
  });

  test.each([
    ['undone', false],
    ['repeated', true],
  ])('is final and cannot be %s', async (_, revoked) => {
    const allowed = await revocation();
    expect(await send(allowed)).toBe('OK');
    expect(await send({ ...allowed, fields: { revoked: bool(revoked) } })).toBe(DENIED);
  });

  test('does not include deleting, which is denied', async () => {
    const { path } = await revocation();
    expect(await remove(owner, path)).toBe(DENIED);
  });
});

describe('reading tokens', () => {
  const ownTokens = (): Fields => ({ uid: text(owner.uid) });

  test.each<readonly [string, () => User]>([
    ['their owner', () => owner],
    ['their owner whose wallet was removed', () => ownerWithoutClaim],
  ])('is allowed for %s, one or all', async (_, user) => {
    const { path } = await revocation();
    expect(await get(user(), path)).toBe('OK');
    expect(await list(user(), 'verificationTokens', ownTokens())).toBe('OK');
  });

  test.each<readonly [string, () => User]>([
    ["another's", () => other],
    ['not signed in', () => nobody],
  ])('is denied: %s', async (_, user) => {
    const { path } = await revocation();
    expect(await get(user(), path)).toBe(DENIED);
    expect(await list(user(), 'verificationTokens', ownTokens())).toBe(DENIED);
  });

  test.each<readonly [string, () => Fields]>([
    ["another's", () => ({ uid: text(other.uid) })],
    ['all', () => ({})],
    ['all tokens of the user’s wallet', () => ({ wallet: text(wallet) })],
  ])('is denied: listing %s', async (_, equal) => {
    expect(await list(owner, 'verificationTokens', equal())).toBe(DENIED);
  });

  test('is denied: one that does not exist', async () => {
    expect(await get(owner, tokenPath())).toBe(DENIED);
  });
});

describe.each<readonly [string, () => User]>([
  ['a signed-in user', () => owner],
  ['somebody who is not signed in', () => nobody],
])('every other collection is closed to %s', (_, user) => {
  test.each(['apiKeys', 'attestations', 'admins'])('%s', async (collection) => {
    await Promise.all([seedKey(), seedWallet({ attestationType: 0 }), seedAdmin()]);
    const [stored] = (await db.collection(collection).limit(1).get()).docs;
    const path = stored?.ref.path ?? '';
    const active = { active: bool(true) };
    const outcomes = {
      get: await get(user(), path),
      list: await list(user(), collection),
      create: await write(user(), `${collection}/${randomUUID()}`, active),
      update: await write(user(), path, active, ['active']),
      delete: await remove(user(), path),
    };
    expect(new Set(Object.values(outcomes))).toEqual(new Set([DENIED]));
  });
});
