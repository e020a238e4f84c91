// Tests firestore.rules for API keys and admins with the real emulators. Each denied request differs
// from an allowed one in a single respect.

import { randomBytes, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { deleteField, serverTimestamp } from 'firebase/firestore/lite';
import { describe, expect, test, vi } from 'vitest';
import { HOUR_MS } from '../../contract/endpoint.ts';
import { openEmulators } from '../../tools/sandbox/demonstration.ts';
import { BAD_NAMES, GOOD_NAMES } from '../records/names.ts';
import { INVALID_RIGHTS, VALID_RIGHTS } from '../records/rights.ts';
import {
  makeAccount,
  signedInBefore,
  signIn,
  signInAnonymously,
  type User,
  withClaims,
} from '../support/client.ts';
import { seedAdmin } from '../support/seed.ts';
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

const { db } = openEmulators();

const newUser = async (): Promise<User> => signIn(await makeAccount());
const admin = await newUser();
const otherAdmin = await newUser();
const user = await newUser();
const revokedAdmin = await newUser();
const adminWithText = await newUser();
/** 20 hours ago, half a second after a whole one. */
const GRANTED_MS = Math.floor(fromNow(-20).getTime() / 1000) * 1000 + 500;
await seedAdmin(admin.uid, true, { grantedAt: new Date(GRANTED_MS) });
await seedAdmin(otherAdmin.uid);
await seedAdmin(revokedAdmin.uid, false);
await seedAdmin(adminWithText.uid, 'true');
const googleAdmin = await newUser();
await seedAdmin(googleAdmin.uid, true, { signIn: 'google.com' });
const textlessAdmin = await newUser();
await seedAdmin(textlessAdmin.uid, true, { signIn: ['password'] });
const signedInAt = (timeMs: number): User => signedInBefore(admin, Date.now() - timeMs);

const NON_ADMINS: readonly (readonly [string, User])[] = [
  ['not signed in', nobody],
  ['signed in anonymously', await signInAnonymously()],
  ['a user who is not an admin', user],
  ['an admin who was revoked', revokedAdmin],
  ['an admin whose record has active as a string', adminWithText],
  ['an admin who signed in before the grant', signedInAt(GRANTED_MS - 1000)],
  ['an admin who must use Google, and signed in with a password', googleAdmin],
  ['an admin whose record has signIn as a list', textlessAdmin],
];
const NON_WRITERS: readonly (readonly [string, User])[] = [
  ...NON_ADMINS,
  ['a sign-in older than 12 hours', signedInBefore(admin, 12 * HOUR_MS + 5_000)],
];

const hash = (): string => randomBytes(32).toString('hex');
const keyPath = (id: string = hash()): string => `apiKeys/${id}`;

/** @returns an allowed request to store a key's record */
const creation = (): Request => ({
  user: admin,
  path: keyPath(),
  fields: {
    active: true,
    project: 'Acme DAO',
    hint: 'x1Yz',
    createdAt: serverTimestamp(),
    createdBy: admin.uid,
  },
});

const DENIED_RIGHTS = [
  ...INVALID_RIGHTS,
  ['modes', ['wallet', 'email', 'token', 'token']] as const,
  ['modes', ['token', 'token']] as const,
  ['expiresAt', fromNow(-1)] as const,
  ['expiresAt', serverTimestamp()] as const,
].map(([name, value]) => [`${name} of ${inspect(value)}`, field(name, value)] as const);

const DENIED_CREATIONS: readonly (readonly [string, Change])[] = [
  ...NON_WRITERS.map(([title, user]) => [title, by('createdBy', user)] as const),
  ["in another admin's name", field('createdBy', otherAdmin.uid)],
  ['an id in upper case', { path: keyPath(`A${hash().slice(1)}`) }],
  ['an id that is too short', { path: keyPath(hash().slice(1)) }],
  ['an id that is too long', { path: keyPath(`0${hash()}`) }],
  ['an id with a line feed after it', { path: keyPath(`${hash()}\n`) }],
  ['the key itself as the id', { path: keyPath(`poh_${hash().slice(4)}`) }],
  ['a key that is not active', field('active', false)],
  ['active as a string', field('active', 'true')],
  ['a project that is a number', field('project', 7)],
  ...BAD_NAMES.map(([title, name]) => [`a project of ${title}`, field('project', name)] as const),
  ['a hint of 3 characters', field('hint', '1Yz')],
  ['a hint of 5 characters', field('hint', 'wx1Yz')],
  ['a hint with an escape', field('hint', '\u001b[2J')],
  ['a hint with a space', field('hint', 'x1 z')],
  ['a hint that changes the direction of text', field('hint', 'x1Y\u202e')],
  ['a hint that is not a string', field('hint', [...'x1Yz'])],
  ['back-dated', field('createdAt', fromNow(-1))],
  ["dated by the client's clock", field('createdAt', new Date())],
  ['dated with a string', field('createdAt', new Date().toISOString())],
  ...['revokedAt', 'revokedBy', 'changedAt', 'changedBy', 'replacedBy'].map(
    (name) => [`${name} in advance`, field(name, 'x')] as const,
  ),
  ['a field with the key itself', field('key', 'poh_x')],
  ['a contact that is a number', field('contact', 7)],
  ['an empty contact', field('contact', '')],
  ['a contact of two lines', field('contact', 'a@b.example\nc')],
  ['a contact of 101 characters', field('contact', 'x'.repeat(101))],
  ...DENIED_RIGHTS,
  ...['active', 'project', 'hint', 'createdAt', 'createdBy'].map(
    (name) => [`no ${name}`, field(name, undefined)] as const,
  ),
  ['another collection', { path: keyPath().replace('api', 'other') }],
  ['in a subcollection of a key', { path: `${keyPath()}/${keyPath()}` }],
];

describe('creating a key', () => {
  test.each<readonly [string, object]>([
    ...GOOD_NAMES.map((project) => [`a project of ${project}`, { project }] as const),
    ['a contact', { contact: 'security@acme.example 😀' }],
    ['1 read per second', { readsPerSecond: 1 }],
    ...VALID_RIGHTS,
  ])('is allowed with %s', async (_, fields) => {
    expect(await send(creation(), { fields })).toBe('OK');
  });

  test('is allowed for an admin whose sign-in is nearly 12 hours old', async () => {
    const user = signedInBefore(admin, 12 * HOUR_MS - 60_000);
    expect(await send(creation(), { user })).toBe('OK');
  });

  test.each(DENIED_CREATIONS)('is denied: %s', async (_, change) => {
    expect(await send(creation(), change)).toBe(DENIED);
  });

  test('is denied with more reads per second than a number holds exactly', async () => {
    const { fetch } = globalThis;
    const larger = (body: unknown) =>
      String(body).replace(`${Number.MAX_SAFE_INTEGER}`, `${2 ** 53}`);
    // The SDK would send it as a double.
    vi.stubGlobal('fetch', (url: string, { body, ...init }: RequestInit) =>
      fetch(url, { ...init, body: larger(body) }),
    );
    const readsPerSecond = Number.MAX_SAFE_INTEGER;
    expect(await send(creation(), { fields: { readsPerSecond } })).toBe(DENIED);
    vi.unstubAllGlobals();
  });

  test('is denied if the key exists, active or revoked', async () => {
    const first = creation();
    expect(await send(first)).toBe('OK');
    expect(await send(first)).toBe(DENIED);
    expect(await send(await revocation(first.path))).toBe('OK');
    expect(await send(first)).toBe(DENIED);
  });
});

async function storedKey(fields: object = {}): Promise<string> {
  const path = keyPath();
  await db.doc(path).set({ active: true, project: 'Acme DAO', hint: 'x1Yz', ...fields });
  return path;
}

/** Changes of every field that a key can have, and of one that it cannot, except these. */
const alsoChanging = (allowed: string) =>
  Object.entries({
    ...{ project: 'Other DAO', hint: 'aaaa', contact: 'x', note: 'x', replacedBy: '0123456789ab' },
    ...{ modes: ['token'], readsPerSecond: 5, expiresAt: fromNow(1) },
    ...{ createdBy: admin.uid, revokedBy: admin.uid, changedBy: admin.uid },
    ...{ createdAt: serverTimestamp(), revokedAt: serverTimestamp(), changedAt: serverTimestamp() },
  })
    .filter(([name]) => !allowed.split(' ').includes(name))
    .map(([name, value]) => [`${name} changes too`, field(name, value)] as const);

/** @returns an allowed request to change a key, by default one that ends in 8 hours */
const change = async (stored: object = { expiresAt: fromNow(8) }): Promise<Request> => ({
  user: admin,
  path: await storedKey({ createdBy: otherAdmin.uid, ...stored }),
  fields: { changedAt: serverTimestamp(), changedBy: admin.uid },
  isUpdate: true,
});

describe('changing a key', () => {
  const allowed: readonly (readonly [string, object, object?])[] = [
    ['a contact', { contact: 'security@acme.example' }],
    ['no contact', { contact: deleteField() }, { contact: 'x' }],
    ['an end', { expiresAt: fromNow(7) }, {}],
    ['an earlier end', { expiresAt: fromNow(7) }],
    ['a later end', { expiresAt: fromNow(9) }],
    ['no end', { expiresAt: deleteField() }],
    ['the key that replaces it', { replacedBy: '0123456789ab' }],
    ['a limit in place of text', { readsPerSecond: 5 }, { readsPerSecond: '5' }],
    ['another right of one with an older contact', { modes: ['token'] }, { contact: ' x\ty ' }],
    ['no limits', { modes: deleteField(), readsPerSecond: deleteField() }, { readsPerSecond: 5 }],
    ...VALID_RIGHTS,
  ];
  test.each(allowed.map(([title, fields, stored]) => ({ title, fields, stored })))(
    'is allowed: $title',
    async ({ fields, stored }) => {
      expect(await send(await change(stored), { fields })).toBe('OK');
    },
  );

  test.each<readonly [string, Change]>([
    ...NON_WRITERS.map(([title, user]) => [title, by('changedBy', user)] as const),
    ["in another admin's name", field('changedBy', otherAdmin.uid)],
    ['no changedBy', field('changedBy', undefined)],
    ['no changedAt', field('changedAt', undefined)],
    ["dated by the client's clock", field('changedAt', new Date())],
    ['it is revoked too', field('active', false)],
    ['a contact of two lines', field('contact', 'a@b.example\nc')],
    ['a contact that is a number', field('contact', 7)],
    ['a whole hash as the id of the key that replaces it', field('replacedBy', hash())],
    ...DENIED_RIGHTS,
    ...alsoChanging('contact modes readsPerSecond expiresAt replacedBy changedAt changedBy'),
  ])('is denied: %s', async (_, other) => {
    expect(await send(await change(), other)).toBe(DENIED);
  });

  // Of a change of its end, which cuts the key off, an author is required as of any other one.
  test('is denied without an author if it only brings the end forward', async () => {
    const fields = { changedAt: undefined, changedBy: undefined, expiresAt: fromNow(1) };
    expect(await send(await change(), { fields })).toBe(DENIED);
  });
});

/** @returns an allowed request to revoke a key, by default a new one */
const revocation = async (path?: string): Promise<Request> => ({
  user: admin,
  path: path ?? (await storedKey()),
  fields: { active: false, revokedAt: serverTimestamp(), revokedBy: admin.uid },
  isUpdate: true,
});

describe('revoking a key', () => {
  test.each([
    ['their own', { createdBy: admin.uid }],
    ["another admin's", { createdBy: otherAdmin.uid }],
    ['a hand-written one', { hint: 7 }],
  ])('is allowed for an admin: %s', async (_, fields) => {
    expect(await send(await revocation(await storedKey(fields)))).toBe('OK');
  });

  test.each<readonly [string, Change]>([
    ...NON_WRITERS.map(([title, user]) => [title, by('revokedBy', user)] as const),
    ["in another admin's name", field('revokedBy', otherAdmin.uid)],
    ['active stays true', field('active', true)],
    ['active becomes a string', field('active', 'false')],
    ['active is removed', field('active', deleteField())],
    ['no revokedAt', field('revokedAt', undefined)],
    ["revokedAt from the client's clock", field('revokedAt', new Date())],
    ['no revokedBy', field('revokedBy', undefined)],
    ...alsoChanging('revokedAt revokedBy'),
  ])('is denied: %s', async (_, change) => {
    expect(await send(await revocation(), change)).toBe(DENIED);
  });

  test.each([
    ['undone', true],
    ['repeated', false],
  ])('is final and cannot be %s', async (_, active) => {
    const allowed = await revocation();
    expect(await send(allowed)).toBe('OK');
    expect(await send(allowed, field('active', active))).toBe(DENIED);
  });

  test('does not include deleting, which is denied', async () => {
    expect(await remove(admin, await storedKey())).toBe(DENIED);
  });
});

describe.each([
  ['is revoked', { active: false }],
  ['has ended', { expiresAt: fromNow(-1) }],
  ['has an end that is a string', { expiresAt: '2099-01-01' }],
])('of a key that %s, nothing changes', (_, stored) => {
  const { active, ...others } = { active: true, ...stored };
  test.each([
    ['its contact', { contact: 'x' }],
    ['its end', { expiresAt: fromNow(1) }],
    ['to no end', { expiresAt: deleteField() }],
    ['to active', { active: true }],
  ])('%s', async (_, fields) => {
    expect(await send(await change({ active, ...others }), { fields })).toBe(DENIED);
  });

  test('to revoked', async () => {
    expect(await send(await revocation(await storedKey({ active, ...others })))).toBe(DENIED);
  });
});

/** The path of the admin's record. */
const OWN = `admins/${admin.uid}`;
const USE = 'keyUse/0123456789ab';
const GOOGLE = { firebase: { sign_in_provider: 'google.com', identities: {} } };

describe('reading keys, their use and records of admins', () => {
  test.each([
    ['an admin', otherAdmin],
    ['an admin whose sign-in is older than 12 hours', signedInBefore(admin, 13 * HOUR_MS)],
    ['an admin who signed in within the second of the grant', signedInAt(GRANTED_MS)],
    ['an admin who must use Google, and did', withClaims(googleAdmin, GOOGLE)],
  ])('is allowed for %s: one, all, and a key that does not exist', async (_, user) => {
    for (const one of [await storedKey(), keyPath(), OWN, USE])
      expect(await get(user, one)).toBe('OK');
    for (const all of ['apiKeys', 'admins', 'keyUse']) expect(await list(user, all)).toBe('OK');
  });

  test.each(NON_ADMINS)('is denied: %s', async (_, user) => {
    for (const one of [await storedKey(), keyPath(), OWN, USE, `admins/${user.uid}`]) {
      expect(await get(user, one)).toBe(DENIED);
    }
    for (const all of ['apiKeys', 'admins', 'keyUse']) {
      expect(await list(user, all)).toBe(DENIED);
    }
  });

  test('is denied as soon as an admin is revoked', async () => {
    const leaving = await newUser();
    await seedAdmin(leaving.uid);
    const path = await storedKey();
    expect(await get(leaving, path)).toBe('OK');
    await seedAdmin(leaving.uid, false);
    expect(await get(leaving, path)).toBe(DENIED);
    await db.doc(`admins/${leaving.uid}`).delete();
    expect(await get(leaving, path)).toBe(DENIED);
  });
});

describe('records of admins and of use', () => {
  const active = { active: true };
  test.each<readonly [string, () => Promise<string>]>([
    ['a user making themselves an admin', () => create(user, `admins/${user.uid}`, active)],
    ['an admin making another an admin', () => create(admin, `admins/${randomUUID()}`, active)],
    [
      'an admin revoking another',
      () => update(admin, `admins/${otherAdmin.uid}`, { active: false }),
    ],
    ['an admin changing their own', () => update(admin, OWN, { email: 'x' })],
    ['an admin changing how they must sign in', () => update(admin, OWN, { signIn: 'x' })],
    ['an admin deleting their own', () => remove(admin, OWN)],
    ['an admin writing figures of use', () => create(admin, USE, { lookups: 1 })],
    ['an admin deleting figures of use', () => remove(admin, USE)],
  ])('cannot be changed: %s', async (_, attempt) => {
    expect(await attempt()).toBe(DENIED);
  });
});
