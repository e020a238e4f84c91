// Tests each guarantee of `attestations repair` with a fault that would break it.

import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RepairKind } from '../../admin/repair/changes.ts';
import { DEMONSTRATION_PROGRAM } from '../../sandbox/attestationRecord.ts';
import { FAULTS, type Fault } from '../../sandbox/chainFaults.ts';
import { auditOf } from './auditCommand.ts';
import type { Repairable } from './repairable.ts';
import { APPLY, EVERY_KIND, RepairCase, repairDocument } from './repairCase.ts';

const NO_CHANGES = { complete: true, warnings: [], planned: 0, done: 0, skipped: 0, backup: null };

/** Writes confirmed documents without an account, with yesterday's date. */
const plantMany = (one: RepairCase, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => one.plant('missing_on_chain', `${index}`)),
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
  await using one = await RepairCase.start();
  for (const kind of KINDS) await one.plant(kind, kind);
  const before = await one.stored();
  const { status, stdout } = await one.repair(...EVERY_KIND);
  expect(stdout).toMatch(
    /^confirm {2}attestations\/ready_to_confirm {2}\w+ {2}ready_to_confirm: /m,
  );
  expect(stdout).toMatch(/^delete {3}attestations\/missing_on_chain {2}/m);
  expect(stdout).toMatch(/^delete {3}attestations\/duplicate {2}.*duplicate-kept is kept$/m);
  expect(stdout).toContain('1 confirmation and 2 deletions would be made. Nothing was changed');
  expect(stdout).toContain('--apply --delete');
  expect(status).toBe(1);
  expect(await one.stored()).toStrictEqual(before);
  expect(existsSync(one.backup)).toBe(false);
});

test('repairs only the named kinds', async () => {
  await using one = await RepairCase.start();
  for (const kind of KINDS) await one.plant(kind, kind);
  const { status } = await one.repair('--ready-to-confirm', '--apply');
  expect(status).toBe(0);
  expect(one.saved()).toEqual(['attestations/ready_to_confirm']);
  expect(Object.keys(await one.stored())).toHaveLength(4);
});

test('repaired findings disappear, and the documents can be restored', async () => {
  await using one = await RepairCase.start();
  const planted = new Map<RepairKind, Repairable>();
  for (const kind of KINDS) planted.set(kind, await one.plant(kind, kind));
  const before = await one.stored();
  const { status, stdout } = await one.repair(...EVERY_KIND, ...APPLY);
  expect(stdout).toMatch(/^Changed: 3 of 3 documents, saved in .*; skipped: 0\.$/m);
  expect(status).toBe(0);
  const after = await one.stored();
  expect(Object.keys(after)).toEqual([
    'attestations/duplicate-kept',
    'attestations/ready_to_confirm',
  ]);
  expect(after['attestations/ready_to_confirm']).toMatchObject({ status: 'confirmed' });
  expect((await auditOf(one.project, one.chain.url)).status).toBe(0);
  // The changes rely only on finalized state, which cannot be rolled back.
  expect(one.chain.commitments.slice(2, 5)).toEqual(Array(3).fill('finalized'));

  expect(await one.restore()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Would be restored: 3; unchanged: 0; skipped: 0.'),
  });
  expect(await one.stored()).toStrictEqual(after);
  expect((await one.restore('--apply')).status).toBe(0);
  expect(await one.stored()).toStrictEqual(before);
  expect(await one.restore('--apply')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Restored: 0; unchanged: 3; skipped: 0.'),
  });
});

describe('a concurrent write is kept', () => {
  const NEWER = { note: 'the newer write' };

  test.each(KINDS)('during a repair of %s', async (kind) => {
    await using one = await RepairCase.start();
    const { path } = await one.plant(kind, 'a');
    one.beforeChanges(duringRepair(() => one.db.doc(path).update(NEWER)));
    const { status, stdout } = await one.repair(...EVERY_KIND, ...APPLY);
    expect(stdout).toMatch(/^skipped {2}attestations\/a .*it was changed in the meantime/m);
    expect(status).toBe(1);
    const expected = kind === 'ready_to_confirm' ? 'pending' : 'confirmed';
    expect((await one.stored())[path]).toMatchObject({ ...NEWER, status: expected });
  });

  test.each([
    ['is deleted', (one: RepairCase, path: string) => one.db.doc(path).delete()],
    [
      'becomes invalid',
      (one: RepairCase, path: string) => one.db.doc(path).update({ status: 'x' }),
    ],
  ])('a duplicate is not deleted if the document to keep %s', async (_, change) => {
    await using one = await RepairCase.start();
    const { path, kept } = await one.plant('duplicate', 'a');
    one.beforeChanges(duringRepair(() => change(one, kept)));
    const { status } = await one.repair('--duplicate', ...APPLY);
    expect(status).toBe(1);
    expect(Object.keys(await one.stored())).toContain(path);
  });
});

describe('a change that is no longer right is skipped', () => {
  test.each([
    ['the account is closed', 'ready_to_confirm', null],
    [
      'the account belongs to another program',
      'ready_to_confirm',
      '11111111111111111111111111111111',
    ],
    ['the account exists', 'missing_on_chain', DEMONSTRATION_PROGRAM],
  ] as const)('%s in the meantime: %s', async (_, kind, owner) => {
    await using one = await RepairCase.start();
    const { address } = await one.plant(kind, 'a');
    const before = await one.stored();
    one.beforeChanges(duringRepair(() => one.chain.setAccount(address, owner)));
    const { status, stdout } = await one.repair(...EVERY_KIND, ...APPLY);
    expect(stdout).toMatch(/^skipped {2}attestations\/a .*is no longer true/m);
    expect(status).toBe(1);
    expect(await one.stored()).toStrictEqual(before);
    expect(existsSync(one.backup)).toBe(false);
  });

  test('a recently synced document is not deleted', async () => {
    await using one = await RepairCase.start();
    const { path } = await one.plant('missing_on_chain', 'a');
    await one.db.doc(path).update({ syncedAt: new Date() });
    const { status, stdout } = await one.repair('--missing-on-chain', ...APPLY);
    expect(stdout).toMatch(/^skipped .*synced less than 2 minutes before the time of the node/m);
    expect(status).toBe(1);
    expect(Object.keys(await one.stored())).toEqual([path]);
  });
});

test('--json prints each change with its outcome, and a summary', async () => {
  await using one = await RepairCase.start();
  const [done, left] = [
    await one.plant('missing_on_chain', 'a'),
    await one.plant('duplicate', 'b'),
  ];
  const json = async (...words: string[]) => {
    const { status, stdout } = await one.repair(
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

  one.beforeChanges(
    undefined,
    duringRepair(() => one.db.doc(left.path).update({ note: 'newer' })),
  );
  const applied = await json(...APPLY);
  expect(applied.changes).toMatchObject([
    { document: done.path, change: 'delete', kind: 'missing_on_chain', outcome: 'done' },
    { document: left.path, change: 'delete', kept: left.kept, outcome: 'skipped' },
  ]);
  expect(applied.changes[1]).toHaveProperty('reason', expect.stringContaining('in the meantime'));
  const counts = { planned: 2, done: 1, skipped: 1, backup: one.backup };
  expect(applied.summary).toEqual({ ...NO_CHANGES, ...counts });
  expect(applied.status).toBe(1);
});

describe('a repair that ended early can be run again', () => {
  async function plantFour(one: RepairCase): Promise<string[]> {
    const planted = ['a', 'b', 'c', 'd'].map((id) => one.plant('missing_on_chain', id));
    return (await Promise.all(planted)).map(({ path }) => path);
  }

  test.each([
    ['an endpoint that fails', FAULTS.forbidden, 'refused the request (HTTP 403)'],
    ['a program that no longer exists', undefined, 'There is no program at'],
  ])('after %s', async (_, fault, message) => {
    await using one = await RepairCase.start();
    const [first = '', ...others] = await plantFour(one);
    const gone = duringRepair(() => one.chain.setAccount(DEMONSTRATION_PROGRAM, null));
    one.beforeChanges(undefined, fault ?? gone);
    const { status, stderr } = await one.repair('--missing-on-chain', ...APPLY);
    expect(stderr).toContain(message);
    expect(status).toBe(3);
    expect(Object.keys(await one.stored())).toEqual(others);
    expect(one.saved()).toEqual([first]);

    one.chain.setAccount(DEMONSTRATION_PROGRAM, 'BPFLoaderUpgradeab1e11111111111111111111111');
    const again = await one.repair('--missing-on-chain', ...APPLY, '--backup', `${one.backup}-2`);
    expect(again.stdout).toContain('Changed: 3 of 3 documents');
    expect(again.status).toBe(0);
    expect(await one.stored()).toEqual({});
  });

  test('Ctrl-C lets the current change finish, and starts no other', async () => {
    const pressed = new AbortController();
    await using one = await RepairCase.start();
    const [first = '', second = '', ...others] = await plantFour(one);
    one.beforeChanges(
      undefined,
      duringRepair(() => pressed.abort()),
    );
    const words = ['--missing-on-chain', ...APPLY];
    const { status, stderr } = await one.spawnRepair({ interrupt: pressed.signal }, ...words);
    expect(stderr).toContain('Stopped. Changed: 2 of 4 documents');
    expect(status).toBe(130);
    expect(Object.keys(await one.stored())).toEqual(others);
    expect(one.saved()).toEqual([first, second]);
  });
});

describe('a warning about the findings to repair', () => {
  const [MISSING, DOCUMENTS] = ['missing_on_chain', 30] as const;
  const words = ['--missing-on-chain', ...APPLY];

  /** Writes a mirror of valid documents, and starts a node that has only the program's account. */
  async function startWithEmptyNode(): Promise<RepairCase> {
    const one = await RepairCase.start();
    await plantMany(one, DOCUMENTS);
    return one;
  }

  test('prevents the repair, and names the option that allows it', async () => {
    await using one = await startWithEmptyNode();
    const preview = await one.repair('--missing-on-chain');
    expect(preview.stdout).toMatch(/add --accept-warning missing_on_chain\.$/m);
    const { status, stderr } = await one.repair(...words);
    expect(stderr).toContain('A warning concerns the findings to repair. Nothing was changed.');
    expect(stderr).toContain(`add --accept-warning ${MISSING}.`);
    expect(status).toBe(2);
    expect(Object.keys(await one.stored())).toHaveLength(DOCUMENTS);
    expect(existsSync(one.backup)).toBe(false);
  });

  test('is not accepted along with another', async () => {
    await using one = await startWithEmptyNode();
    const { status } = await one.repair(...words, '--accept-warning', 'duplicate');
    expect(status).toBe(2);
    expect(Object.keys(await one.stored())).toHaveLength(DOCUMENTS);
  });

  test('does not prevent the repair of another kind', async () => {
    await using one = await startWithEmptyNode();
    await one.plant('ready_to_confirm', 'a');
    expect((await one.repair('--ready-to-confirm', '--apply')).status).toBe(0);
    expect(one.saved()).toEqual(['attestations/a']);
  });

  test('allows the repair once it is accepted', async () => {
    await using one = await startWithEmptyNode();
    const { status } = await one.repair(...words, '--accept-warning', MISSING);
    expect(status).toBe(0);
    expect(await one.stored()).toEqual({});
  });
});

describe('nothing is changed', () => {
  const apply = ['--missing-on-chain', ...APPLY];

  test.each([
    ['when there are too many changes', ['--max', '1'], [], 2, 'are more than --max 1'],
    ['when the audit is not complete', [], [undefined, undefined, FAULTS.forbidden], 3, 'HTTP 403'],
    [
      'when the program is absent',
      ['--program', `${'1'.repeat(31)}2`],
      [],
      3,
      'There is no program at',
    ],
    ['when a deletion is not allowed', ['--apply'], [], 2, 'add --delete to --apply'],
    ['when a warning of no kind is accepted', ['--accept-warning', 'x'], [], 2, 'one of ready_to'],
    ['when the node is of another cluster', ['--cluster', 'mainnet-beta'], [], 3, 'is on devnet'],
    ['when no kind is named', ['--apply'], [], 2, 'Name what to repair'],
    [
      'when the backup cannot be written',
      ['--backup', '/nowhere/a'],
      [],
      3,
      'could not be written',
    ],
  ])('%s', async (title, words, faults, expected, message) => {
    await using one = await RepairCase.start();
    for (const id of ['a', 'b']) await one.plant('missing_on_chain', id);
    const before = await one.stored();
    one.chain.faults.push(...faults);
    const base = title.includes('deletion') ? ['--missing-on-chain'] : apply;
    const { status, stderr } = await one.repair(...(title.includes('kind') ? [] : base), ...words);
    expect(stderr).toContain(message);
    expect(status).toBe(expected);
    expect(await one.stored()).toStrictEqual(before);
    expect(existsSync(one.backup)).toBe(false);
  });

  test('when the output is closed', async () => {
    await using one = await RepairCase.start();
    const { path } = await one.plant('missing_on_chain', 'a');
    const { status } = await one.spawnRepair({ closeOutput: true }, ...apply);
    expect(status).toBe(141);
    expect(Object.keys(await one.stored())).toEqual([path]);
  });

  test('when the backup already exists', async () => {
    await using one = await RepairCase.start();
    await one.plant('missing_on_chain', 'a');
    writeFileSync(one.backup, 'of another repair');
    const { status, stderr } = await one.repair(...apply);
    expect(stderr).toContain('EEXIST');
    expect(status).toBe(3);
    expect(Object.keys(await one.stored())).toHaveLength(1);
  });
});
