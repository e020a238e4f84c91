// Tests firestore.rules for API keys and admins with the real emulators. Each denied request differs
// from an allowed one in a single respect.

import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { openEmulators } from '../../tools/sandbox/openEmulators.ts';
import { BAD_PROJECTS, GOOD_PROJECTS, TYPED_PROJECTS } from '../records/projects.ts';
import {
  bool,
  type Fields,
  get,
  instant,
  list,
  makeAccount,
  remove,
  SERVER_TIME,
  signedInBefore,
  signIn,
  signInAnonymously,
  text,
  type User,
  type Value,
  write,
} from '../support/client.ts';
import { seedAdmin } from '../support/seed.ts';
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

const { db } = openEmulators();

let admin: User;
let otherAdmin: User;
/** A user who was never an admin. */
let user: User;
let revokedAdmin: User;
let adminWithText: User;
let anonymous: User;

/** 20 hours ago, half a second after a whole one. */
const GRANTED_MS = Math.floor(Date.now() / 1000) * 1000 - 20 * HOUR_MS + 500;
const signedInAt = (timeMs: number): User => signedInBefore(admin, Date.now() - timeMs);

beforeAll(async () => {
  const account = async () => signIn(await makeAccount());
  [admin, otherAdmin, user, revokedAdmin, adminWithText] = await Promise.all([
    account(),
    account(),
    account(),
    account(),
    account(),
  ]);
  anonymous = await signInAnonymously();
  await Promise.all([
    seedAdmin(admin.uid, true, { grantedAt: new Date(GRANTED_MS) }),
    seedAdmin(otherAdmin.uid),
    seedAdmin(revokedAdmin.uid, false),
    seedAdmin(adminWithText.uid, 'true'),
  ]);
});

const hash = (): string => randomBytes(32).toString('hex');
const keyPath = (id: string = hash()): string => `apiKeys/${id}`;

/** @returns an allowed request to store a key's record */
const creation = (): Request => ({
  user: admin,
  path: keyPath(),
  fields: {
    active: bool(true),
    project: text('Acme DAO'),
    hint: text('x1Yz'),
    createdAt: SERVER_TIME,
    createdBy: text(admin.uid),
  },
});

const NON_ADMINS: readonly (readonly [string, () => User])[] = [
  ['not signed in', () => nobody],
  ['signed in anonymously', () => anonymous],
  ['a user who is not an admin', () => user],
  ['an admin who was revoked', () => revokedAdmin],
  ['an admin whose record has active as a string', () => adminWithText],
  ['an admin who signed in before the grant', () => signedInAt(GRANTED_MS - 1000)],
];
const NON_WRITERS: readonly (readonly [string, () => User])[] = [
  ...NON_ADMINS,
  ['a sign-in older than 12 hours', () => signedInBefore(admin, 12 * HOUR_MS + 5_000)],
];

const modes = (...names: string[]): Value => ({ arrayValue: { values: names.map(text) } });
const integer = (value: number): Value => ({ integerValue: `${value}` });
const START_MS = Date.now();
const fromNow = (days: number): Date => new Date(START_MS + days * 24 * HOUR_MS);
const inDays = (days: number): Value => instant(fromNow(days).getTime());

const INVALID_RIGHTS: readonly (readonly [string, string, () => Value])[] = [
  ['no mode', 'modes', () => modes()],
  ['an unknown mode', 'modes', () => modes('wallet', 'phone')],
  ['a mode in capitals', 'modes', () => modes('Wallet')],
  ['a mode that is a number', 'modes', () => ({ arrayValue: { values: [integer(0)] } })],
  ['more modes than there are', 'modes', () => modes('wallet', 'email', 'token', 'token')],
  ['modes as a string', 'modes', () => text('wallet')],
  ['modes as a map', 'modes', () => ({ mapValue: { fields: { wallet: bool(true) } } })],
  ['modes of null', 'modes', () => ({ nullValue: null })],
  ['an end in the past', 'expiresAt', () => inDays(-1)],
  ['an end at its creation', 'expiresAt', () => SERVER_TIME],
  ['an end that is a string', 'expiresAt', () => text('2099-01-01T00:00:00Z')],
  ['an end that is a number', 'expiresAt', () => integer(4_070_908_800_000)],
  ['an end of null', 'expiresAt', () => ({ nullValue: null })],
  ['0 reads per second', 'readsPerSecond', () => integer(0)],
  ['-1 reads per second', 'readsPerSecond', () => integer(-1)],
  ['2.5 reads per second', 'readsPerSecond', () => ({ doubleValue: 2.5 })],
  ['more reads per second than a number holds exactly', 'readsPerSecond', () => integer(2 ** 53)],
  ['reads per second as a string', 'readsPerSecond', () => text('500')],
];

const DENIED_CREATIONS: readonly (readonly [string, Change])[] = [
  ...NON_WRITERS.map(([title, who]) => [title, by('createdBy', who)] as const),
  ["in another admin's name", field('createdBy', () => text(otherAdmin.uid))],
  ['an id in upper case', () => ({ path: keyPath(`A${hash().slice(1)}`) })],
  ['an id that is too short', () => ({ path: keyPath(hash().slice(1)) })],
  ['an id that is too long', () => ({ path: keyPath(`0${hash()}`) })],
  ['an id with a line feed after it', () => ({ path: keyPath(`${hash()}\n`) })],
  ['the key itself as the id', () => ({ path: keyPath(`poh_${hash().slice(4)}`) })],
  ['a key that is not active', field('active', () => bool(false))],
  ['active as a string', field('active', () => text('true'))],
  ['a project that is a number', field('project', () => ({ integerValue: '7' }))],
  ...[...BAD_PROJECTS, ...TYPED_PROJECTS].map(
    ([title, name]) => [`a project of ${title}`, field('project', () => text(name))] as const,
  ),
  ['a hint of 3 characters', field('hint', () => text('1Yz'))],
  ['a hint of 5 characters', field('hint', () => text('wx1Yz'))],
  [
    'a hint that is not a string',
    field('hint', () => ({ arrayValue: { values: [...'x1Yz'].map(text) } })),
  ],
  ['back-dated', field('createdAt', () => instant(Date.now() - HOUR_MS))],
  ["dated by the client's clock", field('createdAt', () => instant(Date.now()))],
  ['dated with a string', field('createdAt', () => text(new Date().toISOString()))],
  ['a revocation in advance', field('revokedAt', () => instant(Date.now()))],
  ['a field with the key itself', field('key', () => text('poh_x'))],
  ['a contact that is a number', field('contact', () => ({ integerValue: '7' }))],
  ['an empty contact', field('contact', () => text(''))],
  ['a contact of two lines', field('contact', () => text('a@b.example\nc'))],
  ['a contact of 101 characters', field('contact', () => text('x'.repeat(101)))],
  ...INVALID_RIGHTS.map(([title, name, value]) => [title, field(name, value)] as const),
  ...['active', 'project', 'hint', 'createdAt', 'createdBy'].map(
    (name) => [`no ${name}`, ({ fields }: Request) => ({ fields: without(fields, name) })] as const,
  ),
  ['another collection', ({ path }) => ({ path: path.replace('api', 'other') })],
  ['in a subcollection of a key', ({ path }) => ({ path: `${path}/apiKeys/${hash()}` })],
];

describe('creating a key', () => {
  test.each(GOOD_PROJECTS)('is allowed for a project of %s', async (_, name) => {
    const allowed = creation();
    const named = { ...allowed.fields, project: text(name) };
    expect(await send({ ...allowed, fields: named })).toBe('OK');
  });

  test('is allowed with a contact', async () => {
    const allowed = creation();
    const contact = text('security@acme.example 😀');
    expect(await send({ ...allowed, fields: { ...allowed.fields, contact } })).toBe('OK');
  });

  test.each<readonly [string, () => Fields]>([
    ['one mode', () => ({ modes: modes('token') })],
    ['all modes', () => ({ modes: modes('wallet', 'email', 'token') })],
    ['an end', () => ({ expiresAt: inDays(1) })],
    ['1 read per second', () => ({ readsPerSecond: integer(1) })],
    [
      'all rights',
      () => ({ modes: modes('wallet'), expiresAt: inDays(90), readsPerSecond: integer(500) }),
    ],
  ])('is allowed with %s', async (_, rights) => {
    const allowed = creation();
    expect(await send({ ...allowed, fields: { ...allowed.fields, ...rights() } })).toBe('OK');
  });

  test('is allowed for an admin whose sign-in is nearly 12 hours old', async () => {
    const user = signedInBefore(admin, 12 * HOUR_MS - 60_000);
    expect(await send({ ...creation(), user })).toBe('OK');
  });

  test.each(DENIED_CREATIONS)('is denied: %s', async (_, change) => {
    const allowed = creation();
    expect(await send({ ...allowed, ...change(allowed) })).toBe(DENIED);
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

/** @returns an allowed request to end a key that now ends in 10 days */
const ending = async (stored: object = { expiresAt: fromNow(10) }): Promise<Request> => ({
  user: admin,
  path: await storedKey(stored),
  fields: { expiresAt: inDays(7) },
  mask: ['expiresAt'],
});

const DENIED_ENDS: readonly (readonly [string, Change])[] = [
  ...NON_WRITERS.map(([title, who]) => [title, () => ({ user: who() })] as const),
  ['a later one', field('expiresAt', () => inDays(11))],
  ['none', ({ fields }) => ({ fields: without(fields, 'expiresAt') })],
  ...INVALID_RIGHTS.filter(([, name]) => name === 'expiresAt').map(
    ([title, name, value]) => [title, field(name, value)] as const,
  ),
  ...Object.entries({
    active: bool(false),
    project: text('Other DAO'),
    contact: text('x@acme.example'),
    hint: text('aaaa'),
    createdAt: SERVER_TIME,
    createdBy: text('x'),
    modes: modes('wallet'),
    readsPerSecond: integer(1),
    revokedBy: text('x'),
  }).map(([name, value]) => [`${name} changes too`, also(name, () => value)] as const),
];

describe('setting an end of a key', () => {
  test.each<readonly [string, () => object]>([
    ['one that has none', () => ({})],
    ['one that ends later', () => ({ expiresAt: fromNow(8) })],
  ])('is allowed for %s', async (_, stored) => {
    expect(await send(await ending(stored()))).toBe('OK');
  });

  test.each(DENIED_ENDS)('is denied: %s', async (_, change) => {
    const allowed = await ending();
    expect(await send({ ...allowed, ...change(allowed) })).toBe(DENIED);
  });

  test.each<readonly [string, () => object]>([
    ['is revoked', () => ({ active: false })],
    ['has ended', () => ({ expiresAt: fromNow(-1) })],
    ['ends at the same time', () => ({ expiresAt: fromNow(7) })],
    ['has an end that is a string', () => ({ expiresAt: '2099-01-01' })],
  ])('is denied if the key %s', async (_, stored) => {
    expect(await send(await ending(stored()))).toBe(DENIED);
  });
});

/** @returns an allowed request to revoke a key, by default a new one */
const revocation = async (path?: string): Promise<Request> => ({
  user: admin,
  path: path ?? (await storedKey()),
  fields: { active: bool(false), revokedAt: SERVER_TIME, revokedBy: text(admin.uid) },
  mask: ['active', 'revokedBy'],
});

const DENIED_UPDATES: readonly (readonly [string, Change])[] = [
  ...NON_WRITERS.map(([title, who]) => [title, by('revokedBy', who)] as const),
  ["in another admin's name", field('revokedBy', () => text(otherAdmin.uid))],
  ['active stays true', field('active', () => bool(true))],
  ['active becomes a string', field('active', () => text('false'))],
  ['active is removed', ({ fields }) => ({ fields: without(fields, 'active') })],
  ['no revokedAt', ({ fields }) => ({ fields: without(fields, 'revokedAt') })],
  ["revokedAt from the client's clock", also('revokedAt', () => instant(Date.now()))],
  ['no revokedBy', ({ fields }) => ({ fields: without(fields, 'revokedBy'), mask: ['active'] })],
  ['project changes', also('project', () => text('Other DAO'))],
  ['contact changes', also('contact', () => text('x@acme.example'))],
  ['hint changes', also('hint', () => text('aaaa'))],
  ['createdAt changes', also('createdAt', () => SERVER_TIME)],
  ['createdBy changes', also('createdBy', () => text(admin.uid))],
  ['a field is added', also('note', () => text('x'))],
];

describe('revoking a key', () => {
  test.each<readonly [string, () => object]>([
    ['their own', () => ({ createdBy: admin.uid })],
    ["another admin's", () => ({ createdBy: otherAdmin.uid })],
    ['a hand-written one', () => ({ hint: 7 })],
  ])('is allowed for an admin: %s', async (_, fields) => {
    expect(await send(await revocation(await storedKey(fields())))).toBe('OK');
  });

  test.each(DENIED_UPDATES)('is denied: %s', async (_, change) => {
    const allowed = await revocation();
    expect(await send({ ...allowed, ...change(allowed) })).toBe(DENIED);
  });

  test.each([
    ['undone', true],
    ['repeated', false],
  ])('is final and cannot be %s', async (_, active) => {
    const allowed = await revocation();
    expect(await send(allowed)).toBe('OK');
    expect(await send({ ...allowed, ...field('active', () => bool(active))(allowed) })).toBe(
      DENIED,
    );
  });

  test('does not include deleting, which is denied', async () => {
    expect(await remove(admin, await storedKey())).toBe(DENIED);
  });
});

/** @returns the path of the admin's record */
const own = (): string => `admins/${admin.uid}`;

describe('reading keys and records of admins', () => {
  test.each<readonly [string, () => User]>([
    ['an admin', () => otherAdmin],
    ['an admin whose sign-in is older than 12 hours', () => signedInBefore(admin, 13 * HOUR_MS)],
    ['an admin who signed in within the second of the grant', () => signedInAt(GRANTED_MS)],
  ])('is allowed for %s: one, all, and a key that does not exist', async (_, who) => {
    expect(await get(who(), await storedKey())).toBe('OK');
    expect(await get(who(), keyPath())).toBe('NOT_FOUND');
    expect(await get(who(), own())).toBe('OK');
    for (const all of ['apiKeys', 'admins']) expect(await list(who(), all)).toBe('OK');
  });

  test.each(NON_ADMINS)('is denied: %s', async (_, who) => {
    for (const one of [await storedKey(), keyPath(), own(), `admins/${who().uid}`]) {
      expect(await get(who(), one)).toBe(DENIED);
    }
    for (const all of ['apiKeys', 'admins']) expect(await list(who(), all)).toBe(DENIED);
  });

  test('is denied as soon as an admin is revoked', async () => {
    const leaving = await signIn(await makeAccount());
    await seedAdmin(leaving.uid);
    const path = await storedKey();
    expect(await get(leaving, path)).toBe('OK');
    await seedAdmin(leaving.uid, false);
    expect(await get(leaving, path)).toBe(DENIED);
    await db.doc(`admins/${leaving.uid}`).delete();
    expect(await get(leaving, path)).toBe(DENIED);
  });
});

describe('records of admins', () => {
  test.each<readonly [string, () => Promise<string>]>([
    [
      'a user making themselves an admin',
      () => write(user, `admins/${user.uid}`, { active: bool(true) }),
    ],
    [
      'an admin making another user an admin',
      () => write(admin, `admins/${randomUUID()}`, { active: bool(true) }),
    ],
    [
      'an admin revoking another admin',
      () => write(admin, `admins/${otherAdmin.uid}`, { active: bool(false) }, ['active']),
    ],
    [
      'an admin changing their own record',
      () => write(admin, own(), { email: text('x') }, ['email']),
    ],
    ['an admin deleting their own record', () => remove(admin, own())],
  ])('cannot be changed: %s', async (_, attempt) => {
    expect(await attempt()).toBe(DENIED);
  });
});
