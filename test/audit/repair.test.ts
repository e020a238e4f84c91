// Tests each guarantee of `attestations repair` with a fault that would break it.

import { existsSync, statSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { runRestore } from '../../admin/repair/backup.ts';
import { Failure } from '../../admin/terminal/failure.ts';
import { Relay } from '../../tools/doubles/relay.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { FAULTS, type Fault } from '../../tools/sandbox/chainFaults.ts';
import { auditOf } from './auditCommand.ts';
import { APPLY, EVERY_KIND, RepairCase } from './repairCase.ts';

const KINDS = ['ready_to_confirm', 'missing_on_chain', 'duplicate'] as const;
const EMULATOR = process.env['FIRESTORE_EMULATOR_HOST'];
const MISSING = ['--missing-on-chain', ...APPLY];

const plantMissing = (mirror: RepairCase, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await mirror.plant('missing_on_chain', id)).path));

test('without --apply it prints the planned changes, and changes nothing', async () => {
  await using mirror = await RepairCase.start();
  for (const kind of KINDS) await mirror.plant(kind, kind);
  const before = await mirror.stored();
  const { status, stdout } = await mirror.repair(...EVERY_KIND, '--max', '2');
  expect(stdout).toMatch(
    /^confirm {2}attestations\/ready_to_confirm {2}\w+ {2}ready_to_confirm: /m,
  );
  expect(stdout).toMatch(/^delete {3}attestations\/missing_on_chain {2}/m);
  expect(stdout).toMatch(/^delete {3}attestations\/duplicate {2}.*duplicate-kept is kept$/m);
  expect(stdout).toContain('1 confirmation and 2 deletions would be made. Nothing was changed');
  expect(stdout).toMatch(/--apply --delete --max 3\.$/m);
  expect(status).toBe(1);
  const confirmation = await mirror.repair('--ready-to-confirm', '--max', '1');
  expect(confirmation.stdout).toMatch(/run it again with --apply\.$/m);
  expect(await mirror.stored()).toStrictEqual(before);
  expect(existsSync(mirror.backup)).toBe(false);
});

test('repaired findings disappear, and the documents can be restored', async () => {
  await using mirror = await RepairCase.start();
  for (const kind of KINDS) await mirror.plant(kind, kind);
  const before = await mirror.stored();
  const { status, stdout } = await mirror.repair(...EVERY_KIND, ...APPLY, '--max', '3');
  expect(stdout).toMatch(/^Changed: 3 of 3 documents, with a backup in .*; skipped: 0\.$/m);
  expect(stdout).toMatch(/^done {5}attestations\/duplicate /m);
  expect(status).toBe(0);
  // Only its owner may read it, because it shows which wallet holds which attestation.
  expect(statSync(mirror.backup).mode & 0o777).toBe(0o600);
  const after = await mirror.stored();
  const kept = ['attestations/duplicate-kept', 'attestations/ready_to_confirm'];
  expect(Object.keys(after)).toEqual(kept);
  expect(after['attestations/duplicate-kept']).toEqual(before['attestations/duplicate-kept']);
  expect(after['attestations/ready_to_confirm']).toMatchObject({ status: 'confirmed' });
  expect((await auditOf(mirror.project, mirror.chain.url)).status).toBe(0);
  // The changes rely only on finalized state, which cannot be rolled back.
  expect(mirror.chain.commitments.slice(2, 5)).toEqual(Array(3).fill('finalized'));

  const preview = await mirror.restore();
  expect(preview.stdout).toMatch(/^restore {4}attestations\/duplicate$/m);
  expect(preview.stderr).toContain('Would be restored: 3; unchanged: 0; skipped: 0. Nothing was');
  expect(preview.status).toBe(1);
  expect(await mirror.stored()).toStrictEqual(after);
  expect((await mirror.restore('--apply')).status).toBe(0);
  expect(await mirror.stored()).toStrictEqual(before);
  const again = await mirror.restore('--apply');
  expect(again.stderr).toMatch(/Restored: 0; unchanged: 3; skipped: 0\.$/m);
  expect(again.status).toBe(0);
});

describe('a concurrent write is kept', () => {
  const NEWER = { note: 'the newer write' };

  test.each(KINDS)('during a repair of %s', async (kind) => {
    await using mirror = await RepairCase.start();
    const { path } = await mirror.plant(kind, 'a');
    mirror.beforeChanges(() => mirror.db.doc(path).update(NEWER));
    const { status, stdout } = await mirror.repair(...EVERY_KIND, ...APPLY);
    expect(stdout).toMatch(/^skipped {2}attestations\/a .*it was changed in the meantime/m);
    expect(stdout).toMatch(/^Changed: 0 of 1 documents.*; skipped: 1\.$/m);
    expect(status).toBe(1);
    const expected = kind === 'ready_to_confirm' ? 'pending' : 'confirmed';
    expect((await mirror.stored())[path]).toMatchObject({ ...NEWER, status: expected });
  });

  test('a duplicate is not deleted if the document to keep is deleted', async () => {
    await using mirror = await RepairCase.start();
    const { path, kept } = await mirror.plant('duplicate', 'a');
    mirror.beforeChanges(() => mirror.db.doc(kept).delete());
    expect((await mirror.repair('--duplicate', ...APPLY)).status).toBe(1);
    expect(Object.keys(await mirror.stored())).toEqual([path]);
  });

  test('a change that has become wrong is not made', async () => {
    await using mirror = await RepairCase.start();
    const { path, address } = await mirror.plant('missing_on_chain', 'a');
    mirror.beforeChanges(() => mirror.chain.setAccount(address, DEMONSTRATION_PROGRAM));
    const { status, stdout } = await mirror.repair(...MISSING);
    expect(stdout).toMatch(/^skipped {2}attestations\/a .*is no longer true/m);
    expect(status).toBe(1);
    expect(Object.keys(await mirror.stored())).toEqual([path]);
    expect(existsSync(mirror.backup)).toBe(false);
  });
});

test('--json prints each change with its outcome, and a summary', async () => {
  await using mirror = await RepairCase.start();
  const done = await mirror.plant('missing_on_chain', 'a');
  const left = await mirror.plant('duplicate', 'b');
  const json = async (...words: string[]) => {
    const result = await mirror.repair('--missing-on-chain', '--duplicate', '--json', ...words);
    return { status: result.status, ...JSON.parse(result.stdout) };
  };
  const summary = { complete: true, warnings: [], planned: 2, done: 0, skipped: 0, backup: null };
  const deletion = { change: 'delete', kind: 'missing_on_chain', onChainAddress: done.address };
  const first = { ...deletion, document: done.path };
  const copy = { change: 'delete', kind: 'duplicate', onChainAddress: left.address };
  const second = { ...copy, document: left.path, kept: left.kept };
  const changes = [first, second].map((change) => ({ ...change, outcome: 'planned' }));
  expect(await json()).toEqual({ status: 1, changes, summary });

  mirror.beforeChanges(undefined, () => mirror.db.doc(left.path).update({ note: 'newer' }));
  expect(await json(...APPLY)).toEqual({
    status: 1,
    changes: [
      { ...first, outcome: 'done' },
      { ...second, outcome: 'skipped', reason: expect.stringContaining('in the meantime') },
    ],
    summary: { ...summary, done: 1, skipped: 1, backup: mirror.backup },
  });
});

describe('a repair that ended early can be run again', () => {
  test.each([
    ['an endpoint that fails', FAULTS.forbidden, 'refused', 'refused the request (HTTP 403)'],
    ['a program that no longer exists', undefined, 'no_program', 'There is no program at'],
  ])('after %s', async (_, fault, code, message) => {
    await using mirror = await RepairCase.start();
    const [first = '', ...others] = await plantMissing(mirror, ['a', 'b', 'c', 'd']);
    const gone = () => mirror.chain.setAccount(DEMONSTRATION_PROGRAM, null);
    mirror.beforeChanges(undefined, ...(fault ? [] : [gone]));
    if (fault) mirror.chain.faults.push(fault);
    const { status, stdout, stderr } = await mirror.repair(...MISSING, '--json');
    expect(stderr).toContain(message);
    expect(stderr).toContain('Changed: 1 of 4 documents, with a backup in');
    expect(stderr).toContain('To continue, run it again with another --backup file.');
    const { summary, changes } = JSON.parse(stdout);
    expect(summary).toMatchObject({ complete: false, failure: { code }, done: 1 });
    const outcomes = changes.map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).toEqual(['done', 'planned', 'planned', 'planned']);
    expect(status).toBe(3);
    expect(Object.keys(await mirror.stored())).toEqual(others);
    expect(mirror.saved()).toEqual([first]);

    mirror.chain.setAccount(DEMONSTRATION_PROGRAM, 'BPFLoaderUpgradeab1e11111111111111111111111');
    const again = await mirror.repair(...MISSING, '--backup', `${mirror.backup}-2`);
    expect(again.stdout).toContain('Changed: 3 of 3 documents');
    expect(again.status).toBe(0);
    expect(await mirror.stored()).toEqual({});
  });

  test('after Firestore failed, which says which change may have been made', async () => {
    await using mirror = await RepairCase.start();
    await plantMissing(mirror, ['a', 'b']);
    const relay = await Relay.to(EMULATOR);
    mirror.beforeChanges(() => relay.refuse());
    const { failure, report } = await mirror.repairDirectly(relay.host, async () => undefined);
    expect(failure?.message).toMatch(
      /^Firestore could not .* It is not known whether attestations\/a was changed\. Changed: 0 of 2 /,
    );
    expect(report.changes.map(({ outcome }) => outcome)).toEqual(['unknown', 'planned']);
    const end = { complete: false, failure: { code: 'mirror' }, done: 0, backup: mirror.backup };
    expect(report.summary).toMatchObject(end);
    expect(mirror.saved()).toEqual(['attestations/a']);
  });

  test.each([
    ['before a write', 1, ''],
    ['during a write', 2, 'It is not known whether attestations/b was changed. '],
  ])('after Ctrl-C %s, which says what was changed', async (_, saved, doubt) => {
    const pressed = new AbortController();
    await using mirror = await RepairCase.start();
    const [, ...others] = await plantMissing(mirror, ['a', 'b', 'c']);
    const relay = await Relay.to(EMULATOR);
    mirror.beforeChanges(undefined, () => {
      relay.freeze();
      const isReached = () => mirror.saved().length === saved && (!doubt || relay.heldCount > 0);
      void vi.waitUntil(isReached, { timeout: 10_000 }).then(() => pressed.abort());
      return doubt ? undefined : new Promise(() => undefined);
    });
    const options = { interrupt: pressed.signal, env: { FIRESTORE_EMULATOR_HOST: relay.host } };
    const { status, stderr } = await mirror.spawnRepair(options, ...MISSING);
    expect(stderr).toMatch(new RegExp(`Interrupted\\. ${doubt}Changed: 1 of 3 .* run it again`));
    expect([status, mirror.saved().length]).toEqual([130, saved]);
    expect(Object.keys(await mirror.stored())).toEqual(others);
    await relay.close();
  });
});

describe('a warning about the findings to repair', () => {
  const ACCEPT = ['--accept-warning', 'missing_on_chain'];
  const IDS = Array.from({ length: 51 }, (_, index) => `${index}`);

  test('prevents the repair, until it is accepted', async () => {
    await using mirror = await RepairCase.start();
    await plantMissing(mirror, IDS);
    const preview = await mirror.repair('--missing-on-chain');
    expect(preview.stdout).toMatch(/^WARNING: missing_on_chain for 51 of 51 documents/m);
    expect(preview.stdout).toMatch(
      /--delete --max 51\. .*add --accept-warning missing_on_chain\.$/m,
    );
    for (const words of [MISSING, [...MISSING, '--accept-warning', 'duplicate']]) {
      const { status, stderr } = await mirror.repair(...words);
      expect(stderr).toContain('A warning concerns the findings to repair. Nothing was changed.');
      expect(stderr).toContain('add --accept-warning missing_on_chain.');
      expect(status).toBe(2);
      expect(Object.keys(await mirror.stored())).toHaveLength(IDS.length);
      expect(existsSync(mirror.backup)).toBe(false);
    }
    const accepted = [...MISSING, ...ACCEPT, '--accept-warning', 'duplicate'];
    const many = await mirror.repair(...accepted);
    expect(many.stderr).toContain('--max 50 does not allow 51 deletions');
    const both = await mirror.repair(...accepted, '--max', '51');
    expect(both.status).toBe(0);
    expect(await mirror.stored()).toEqual({});
  });

  test('does not prevent the repair of another kind', async () => {
    await using mirror = await RepairCase.start();
    await plantMissing(mirror, IDS);
    await mirror.plant('ready_to_confirm', 'a');
    expect((await mirror.repair('--ready-to-confirm', '--apply')).status).toBe(0);
    expect(mirror.saved()).toEqual(['attestations/a']);
    const again = await mirror.repair('--ready-to-confirm');
    expect(again.stdout).toMatch(/^There is nothing to repair\.$/m);
    expect(again.status).toBe(0);
  });
});

describe('nothing is changed', () => {
  const ABSENT = `${'1'.repeat(31)}2`;
  const chainResponds: Fault = (_, next) => next();
  const forbidden = [chainResponds, chainResponds, FAULTS.forbidden];

  test.each<[string, string[], readonly Fault[], number, string, RegExp]>([
    ['for too many changes', ['--max', '1'], [], 2, 'too_many_changes', /--max 1 does not allow/],
    ['if the audit fails', [], forbidden, 3, 'refused', /Audited: 0 of 2 .* Nothing was changed\./],
    ['without the program', ['--program', ABSENT], [], 3, 'no_program', /There is no program at/],
    [
      'if the backup exists',
      ['--backup', '/dev/null'],
      [],
      3,
      'backup',
      /backup could not be written: EEXIST.* Changed: 0 of 2/,
    ],
  ])('%s', async (_, words, faults, expected, code, message) => {
    await using mirror = await RepairCase.start();
    await plantMissing(mirror, ['a', 'b']);
    const before = await mirror.stored();
    mirror.chain.faults.push(...faults);
    const { status, stdout, stderr } = await mirror.repair(...MISSING, '--json', ...words);
    expect(stderr).toMatch(message);
    expect(JSON.parse(stdout).summary).toMatchObject({ complete: false, failure: { code } });
    expect(status).toBe(expected);
    expect(await mirror.stored()).toStrictEqual(before);
    expect(existsSync(mirror.backup)).toBe(false);
  });

  test('when the output is closed', async () => {
    await using mirror = await RepairCase.start();
    const paths = await plantMissing(mirror, ['a']);
    const { status } = await mirror.spawnRepair({ closeOutput: true }, ...MISSING);
    expect(status).toBe(141);
    const absent = [...MISSING, '--json', '--program', ABSENT];
    const failed = await mirror.spawnRepair({ closeOutput: true }, ...absent);
    expect(failed.stderr).toContain('There is no program at');
    expect(failed.status).toBe(3);
    expect(Object.keys(await mirror.stored())).toEqual(paths);
  });

  test('unless the change is confirmed', async () => {
    await using mirror = await RepairCase.start();
    const paths = await plantMissing(mirror, ['a']);
    const questions: string[] = [];
    const confirm = async (question: string) => {
      questions.push(question);
      throw new Failure('Nothing was changed.');
    };
    const { failure, report } = await mirror.repairDirectly(EMULATOR, confirm);
    expect(failure).toMatchObject({ message: 'Nothing was changed.' });
    expect(questions).toEqual([`Save the documents in ${mirror.backup}, and make 1 deletion`]);
    expect(report.summary.failure?.code).toBe('unconfirmed');
    expect(Object.keys(await mirror.stored())).toEqual(paths);
    expect((await mirror.repair(...MISSING)).status).toBe(0);
    const target = { project: mirror.project, emulator: EMULATOR };
    await expect(runRestore(target, mirror.backup, confirm)).rejects.toThrow();
    expect(questions[1]).toBe(`Restore 1 document from ${mirror.backup}`);
    expect(await mirror.stored()).toEqual({});
  });
});
