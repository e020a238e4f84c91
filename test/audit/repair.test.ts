// Tests each guarantee of `attestations repair` with a fault that would break it.

import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RepairKind } from '../../admin/repair/changes.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { FAULTS, type Fault } from '../../tools/sandbox/chainFaults.ts';
import { auditOf } from './auditCommand.ts';
import type { Repairable } from './repairable.ts';
import { APPLY, EVERY_KIND, RepairCase, repairDocument } from './repairCase.ts';

const NO_CHANGES = { complete: true, warnings: [], planned: 0, done: 0, skipped: 0, backup: null };

/** Writes confirmed documents without an account, with yesterday's date. */
const plantMany = (mirror: RepairCase, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => mirror.plant('missing_on_chain', `${index}`)),
  );

const KINDS = ['ready_to_confirm', 'missing_on_chain', 'duplicate'] as const;

/** Runs an action between the audit and the change, such as a concurrent write. */
const duringRepair =
  (action: () => unknown): Fault =>
  async (_, next) => {
    await action();
    next();
  };

test('without --apply it prints the planned changes, and changes nothing', async () => {
  await using mirror = await RepairCase.start();
  for (const kind of KINDS) await mirror.plant(kind, kind);
  const before = await mirror.stored();
  const { status, stdout } = await mirror.repair(...EVERY_KIND);
  expect(stdout).toMatch(
    /^confirm {2}attestations\/ready_to_confirm {2}\w+ {2}ready_to_confirm: /m,
  );
  expect(stdout).toMatch(/^delete {3}attestations\/missing_on_chain {2}/m);
  expect(stdout).toMatch(/^delete {3}attestations\/duplicate {2}.*duplicate-kept is kept$/m);
  expect(stdout).toContain('1 confirmation and 2 deletions would be made. Nothing was changed');
  expect(stdout).toContain('--apply --delete');
  expect(status).toBe(1);
  expect(await mirror.stored()).toStrictEqual(before);
  expect(existsSync(mirror.backup)).toBe(false);
});

test('repairs only the named kinds', async () => {
  await using mirror = await RepairCase.start();
  for (const kind of KINDS) await mirror.plant(kind, kind);
  const { status } = await mirror.repair('--ready-to-confirm', '--apply');
  expect(status).toBe(0);
  expect(mirror.saved()).toEqual(['attestations/ready_to_confirm']);
  expect(Object.keys(await mirror.stored())).toHaveLength(4);
});

test('repaired findings disappear, and the documents can be restored', async () => {
  await using mirror = await RepairCase.start();
  const planted = new Map<RepairKind, Repairable>();
  for (const kind of KINDS) planted.set(kind, await mirror.plant(kind, kind));
  const before = await mirror.stored();
  const { status, stdout } = await mirror.repair(...EVERY_KIND, ...APPLY);
  expect(stdout).toMatch(/^Changed: 3 of 3 documents, with a backup in .*; skipped: 0\.$/m);
  expect(status).toBe(0);
  const after = await mirror.stored();
  expect(Object.keys(after)).toEqual([
    'attestations/duplicate-kept',
    'attestations/ready_to_confirm',
  ]);
  expect(after['attestations/ready_to_confirm']).toMatchObject({ status: 'confirmed' });
  expect((await auditOf(mirror.project, mirror.chain.url)).status).toBe(0);
  // The changes rely only on finalized state, which cannot be rolled back.
  expect(mirror.chain.commitments.slice(2, 5)).toEqual(Array(3).fill('finalized'));

  expect(await mirror.restore()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Would be restored: 3; unchanged: 0; skipped: 0.'),
  });
  expect(await mirror.stored()).toStrictEqual(after);
  expect((await mirror.restore('--apply')).status).toBe(0);
  expect(await mirror.stored()).toStrictEqual(before);
  expect(await mirror.restore('--apply')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Restored: 0; unchanged: 3; skipped: 0.'),
  });
});

describe('a concurrent write is kept', () => {
  const NEWER = { note: 'the newer write' };

  test.each(KINDS)('during a repair of %s', async (kind) => {
    await using mirror = await RepairCase.start();
    const { path } = await mirror.plant(kind, 'a');
    mirror.beforeChanges(duringRepair(() => mirror.db.doc(path).update(NEWER)));
    const { status, stdout } = await mirror.repair(...EVERY_KIND, ...APPLY);
    expect(stdout).toMatch(/^skipped {2}attestations\/a .*it was changed in the meantime/m);
    expect(status).toBe(1);
    const expected = kind === 'ready_to_confirm' ? 'pending' : 'confirmed';
    expect((await mirror.stored())[path]).toMatchObject({ ...NEWER, status: expected });
  });

  test.each([
    ['is deleted', (mirror: RepairCase, path: string) => mirror.db.doc(path).delete()],
    [
      'becomes invalid',
      (mirror: RepairCase, path: string) => mirror.db.doc(path).update({ status: 'x' }),
    ],
  ])('a duplicate is not deleted if the document to keep %s', async (_, change) => {
    await using mirror = await RepairCase.start();
    const { path, kept } = await mirror.plant('duplicate', 'a');
    mirror.beforeChanges(duringRepair(() => change(mirror, kept)));
    const { status } = await mirror.repair('--duplicate', ...APPLY);
    expect(status).toBe(1);
    expect(Object.keys(await mirror.stored())).toContain(path);
  });
});

describe('a change that has become wrong is skipped', () => {
  test.each([
    ['the account was closed', 'ready_to_confirm', null],
    [
      'the account was taken over by another program',
      'ready_to_confirm',
      '11111111111111111111111111111111',
    ],
    ['the account was created', 'missing_on_chain', DEMONSTRATION_PROGRAM],
  ] as const)('because %s in the meantime: %s', async (_, kind, owner) => {
    await using mirror = await RepairCase.start();
    const { address } = await mirror.plant(kind, 'a');
    const before = await mirror.stored();
    mirror.beforeChanges(duringRepair(() => mirror.chain.setAccount(address, owner)));
    const { status, stdout } = await mirror.repair(...EVERY_KIND, ...APPLY);
    expect(stdout).toMatch(/^skipped {2}attestations\/a .*is no longer true/m);
    expect(status).toBe(1);
    expect(await mirror.stored()).toStrictEqual(before);
    expect(existsSync(mirror.backup)).toBe(false);
  });

  test('a recently synced document is not deleted', async () => {
    await using mirror = await RepairCase.start();
    const { path } = await mirror.plant('missing_on_chain', 'a');
    await mirror.db.doc(path).update({ syncedAt: new Date() });
    const { status, stdout } = await mirror.repair('--missing-on-chain', ...APPLY);
    expect(stdout).toMatch(
      /^skipped .*by the node's clock, it was synced less than 2 minutes ago/m,
    );
    expect(status).toBe(1);
    expect(Object.keys(await mirror.stored())).toEqual([path]);
  });
});

test('--json prints each change with its outcome, and a summary', async () => {
  await using mirror = await RepairCase.start();
  const [done, left] = [
    await mirror.plant('missing_on_chain', 'a'),
    await mirror.plant('duplicate', 'b'),
  ];
  const json = async (...words: string[]) => {
    const { status, stdout } = await mirror.repair(
      '--missing-on-chain',
      '--duplicate',
      '--json',
      ...words,
    );
    return { status, ...repairDocument.parse(JSON.parse(stdout)) };
  };
  const preview = await json();
  expect(preview.changes.map(({ outcome }) => outcome)).toEqual(['planned', 'planned']);
  expect(preview.summary).toEqual({ ...NO_CHANGES, planned: 2 });
  expect(preview.status).toBe(1);

  const refused = await json(...APPLY, '--max', '1');
  expect(refused.summary).toMatchObject({ complete: false, failure: { code: 'too_many_changes' } });
  expect(refused.status).toBe(2);

  mirror.beforeChanges(
    undefined,
    duringRepair(() => mirror.db.doc(left.path).update({ note: 'newer' })),
  );
  const applied = await json(...APPLY);
  expect(applied.changes).toMatchObject([
    { document: done.path, change: 'delete', kind: 'missing_on_chain', outcome: 'done' },
    { document: left.path, change: 'delete', kept: left.kept, outcome: 'skipped' },
  ]);
  expect(applied.changes[1]).toHaveProperty('reason', expect.stringContaining('in the meantime'));
  const counts = { planned: 2, done: 1, skipped: 1, backup: mirror.backup };
  expect(applied.summary).toEqual({ ...NO_CHANGES, ...counts });
  expect(applied.status).toBe(1);
});

describe('a repair that ended early can be run again', () => {
  async function plantFour(mirror: RepairCase): Promise<string[]> {
    const planted = ['a', 'b', 'c', 'd'].map((id) => mirror.plant('missing_on_chain', id));
    return (await Promise.all(planted)).map(({ path }) => path);
  }

  test.each([
    ['an endpoint that fails', FAULTS.forbidden, 'refused the request (HTTP 403)'],
    ['a program that no longer exists', undefined, 'There is no program at'],
  ])('after %s', async (_, fault, message) => {
    await using mirror = await RepairCase.start();
    const [first = '', ...others] = await plantFour(mirror);
    const gone = duringRepair(() => mirror.chain.setAccount(DEMONSTRATION_PROGRAM, null));
    mirror.beforeChanges(undefined, fault ?? gone);
    const { status, stderr } = await mirror.repair('--missing-on-chain', ...APPLY);
    expect(stderr).toContain(message);
    expect(status).toBe(3);
    expect(Object.keys(await mirror.stored())).toEqual(others);
    expect(mirror.saved()).toEqual([first]);

    mirror.chain.setAccount(DEMONSTRATION_PROGRAM, 'BPFLoaderUpgradeab1e11111111111111111111111');
    const again = await mirror.repair(
      '--missing-on-chain',
      ...APPLY,
      '--backup',
      `${mirror.backup}-2`,
    );
    expect(again.stdout).toContain('Changed: 3 of 3 documents');
    expect(again.status).toBe(0);
    expect(await mirror.stored()).toEqual({});
  });

  test('Ctrl-C lets the current change finish, and starts no other', async () => {
    const pressed = new AbortController();
    await using mirror = await RepairCase.start();
    const [first = '', second = '', ...others] = await plantFour(mirror);
    mirror.beforeChanges(
      undefined,
      duringRepair(() => pressed.abort()),
    );
    const words = ['--missing-on-chain', ...APPLY];
    const { status, stderr } = await mirror.spawnRepair({ interrupt: pressed.signal }, ...words);
    expect(stderr).toContain('Stopped. Changed: 2 of 4 documents');
    expect(status).toBe(130);
    expect(Object.keys(await mirror.stored())).toEqual(others);
    expect(mirror.saved()).toEqual([first, second]);
  });
});

describe('a warning about the findings to repair', () => {
  const [MISSING, DOCUMENTS] = ['missing_on_chain', 30] as const;
  const words = ['--missing-on-chain', ...APPLY];

  /** Writes a mirror of valid documents, and starts a node that has only the program's account. */
  async function startWithEmptyNode(): Promise<RepairCase> {
    const mirror = await RepairCase.start();
    await plantMany(mirror, DOCUMENTS);
    return mirror;
  }

  test('prevents the repair, and names the option that allows it', async () => {
    await using mirror = await startWithEmptyNode();
    const preview = await mirror.repair('--missing-on-chain');
    expect(preview.stdout).toMatch(/add --accept-warning missing_on_chain\.$/m);
    const { status, stderr } = await mirror.repair(...words);
    expect(stderr).toContain('A warning concerns the findings to repair. Nothing was changed.');
    expect(stderr).toContain(`add --accept-warning ${MISSING}.`);
    expect(status).toBe(2);
    expect(Object.keys(await mirror.stored())).toHaveLength(DOCUMENTS);
    expect(existsSync(mirror.backup)).toBe(false);
  });

  test('is not accepted by accepting a different one', async () => {
    await using mirror = await startWithEmptyNode();
    const { status } = await mirror.repair(...words, '--accept-warning', 'duplicate');
    expect(status).toBe(2);
    expect(Object.keys(await mirror.stored())).toHaveLength(DOCUMENTS);
  });

  test('does not prevent the repair of another kind', async () => {
    await using mirror = await startWithEmptyNode();
    await mirror.plant('ready_to_confirm', 'a');
    expect((await mirror.repair('--ready-to-confirm', '--apply')).status).toBe(0);
    expect(mirror.saved()).toEqual(['attestations/a']);
  });

  test('allows the repair once it is accepted', async () => {
    await using mirror = await startWithEmptyNode();
    const { status } = await mirror.repair(...words, '--accept-warning', MISSING);
    expect(status).toBe(0);
    expect(await mirror.stored()).toEqual({});
  });
});

describe('nothing is changed', () => {
  const apply = ['--missing-on-chain', ...APPLY];

  test.each([
    ['when there are too many changes', [...apply, '--max', '1'], [], 2, '--max 1 does not allow'],
    ['when the audit fails', apply, [undefined, undefined, FAULTS.forbidden], 3, 'HTTP 403'],
    [
      'when the program is absent',
      [...apply, '--program', `${'1'.repeat(31)}2`],
      [],
      3,
      'There is no program at',
    ],
    [
      'when the node is on another cluster',
      [...apply, '--cluster', 'mainnet-beta'],
      [],
      3,
      'is on devnet',
    ],
    [
      'when the backup cannot be written',
      [...apply, '--backup', '/nowhere/a'],
      [],
      3,
      'could not be written',
    ],
  ])('%s', async (_, words, faults, expected, message) => {
    await using mirror = await RepairCase.start();
    for (const id of ['a', 'b']) await mirror.plant('missing_on_chain', id);
    const before = await mirror.stored();
    mirror.chain.faults.push(...faults);
    const { status, stderr } = await mirror.repair(...words);
    expect(stderr).toContain(message);
    expect(status).toBe(expected);
    expect(await mirror.stored()).toStrictEqual(before);
    expect(existsSync(mirror.backup)).toBe(false);
  });

  test('when the output is closed', async () => {
    await using mirror = await RepairCase.start();
    const { path } = await mirror.plant('missing_on_chain', 'a');
    const { status } = await mirror.spawnRepair({ closeOutput: true }, ...apply);
    expect(status).toBe(141);
    expect(Object.keys(await mirror.stored())).toEqual([path]);
  });

  test('when the backup already exists', async () => {
    await using mirror = await RepairCase.start();
    await mirror.plant('missing_on_chain', 'a');
    writeFileSync(mirror.backup, 'of another repair');
    const { status, stderr } = await mirror.repair(...apply);
    expect(stderr).toContain('EEXIST');
    expect(status).toBe(3);
    expect(Object.keys(await mirror.stored())).toHaveLength(1);
  });
});
