// Sets up a mirror, a chain and a folder for one test of the repair, and runs its command.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { withRun } from '../../admin/frame/run.ts';
import type { RepairKind } from '../../admin/repair/changes.ts';
import { runRepair } from '../../admin/repair/run.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import type { Fault } from '../../tools/sandbox/chainFaults.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { type CommandResult, runAdmin, spawnAdmin } from '../admin/adminCommand.ts';
import { openOwnProject } from '../support/ownProject.ts';
import { randomRecord } from './mirror.ts';

export const EVERY_KIND = ['--ready-to-confirm', '--missing-on-chain', '--duplicate'];
export const APPLY = ['--apply', '--delete'];

const DAY_MS = 24 * 60 * 60 * 1000;
/** An audit of fewer than 100 documents sends three requests to the chain; after that, each change sends one. */
const AUDIT_REQUESTS = [undefined, undefined, undefined];

/** What `--json` prints. */
interface RepairReport {
  readonly changes: readonly { readonly outcome: string }[];
  readonly summary: { readonly complete: boolean; readonly failure?: { readonly code: string } };
}

export class RepairCase implements AsyncDisposable {
  readonly chain: TestChain;
  readonly project: string;
  readonly db;
  readonly folder = mkdtempSync(join(tmpdir(), 'poh-repair-'));
  readonly backup = join(this.folder, 'backup.jsonl');

  private constructor(chain: TestChain) {
    this.chain = chain;
    ({ project: this.project, db: this.db } = openOwnProject());
  }

  static async start(): Promise<RepairCase> {
    return new RepairCase(await TestChain.start());
  }

  /**
   * Writes documents with one finding and yesterday's date. Their ids begin with `id`, which decides the order of
   * the reads.
   *
   * @returns the path of the document to change, the attestation's address, and the path of the document to keep
   */
  async plant(kind: RepairKind, id: string) {
    const status = kind === 'ready_to_confirm' ? 'pending' : 'confirmed';
    const record = randomRecord({ status, createdAt: new Date(Date.now() - DAY_MS) });
    const address = record.onChainAddress;
    if (kind !== 'missing_on_chain') this.chain.setAccount(address, DEMONSTRATION_PROGRAM);
    const [path, kept] = [`attestations/${id}`, `attestations/${id}-kept`];
    await this.db.doc(path).set({ ...record, note: { of: 'the mirror', parts: [1, null, true] } });
    if (kind === 'duplicate') await this.db.doc(kept).set({ ...record, syncedAt: new Date() });
    return { path, address, kept };
  }

  /** Runs actions between the audit and each change, such as a concurrent write; undefined runs none. */
  beforeChanges(...actions: ((() => unknown) | undefined)[]): void {
    const faults = actions.map(
      (action): Fault | undefined =>
        action &&
        (async (_, next) => {
          await action();
          next();
        }),
    );
    this.chain.faults.push(...AUDIT_REQUESTS, ...faults);
  }

  repair(...words: string[]): Promise<CommandResult> {
    return runAdmin(this.#repairWords(words));
  }

  /**
   * Deletes what is missing on the chain, without the command line.
   *
   * @param emulator host:port of Firestore
   * @param confirm answers the question
   */
  async repairDirectly(emulator: string | undefined, confirm: (question: string) => Promise<void>) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const scope = {
      ...{ rpc: new URL(this.chain.url), program: DEMONSTRATION_PROGRAM },
      ...{ cluster: this.chain.cluster, nowMs: Date.now, kinds: ['missing_on_chain'] as const },
      ...{ max: 9, backup: this.backup, json: true },
    };
    const target = { project: this.project, db: this.db, emulator };
    const run = withRun({ stdout, stderr }, () => runRepair(target, scope, confirm));
    const failure = await run.then(
      () => undefined,
      (error: Error) => error,
    );
    stdout.end();
    const report: RepairReport = JSON.parse(await text(stdout));
    return { failure, report };
  }

  /** Repairs in a separate process. */
  spawnRepair(options: Parameters<typeof spawnAdmin>[1], ...words: string[]) {
    return spawnAdmin(this.#repairWords(words), options);
  }

  #repairWords(words: readonly string[]): string[] {
    const chain = ['--rpc', this.chain.url, '--program', DEMONSTRATION_PROGRAM];
    const repair = ['--firebase-project', this.project, 'attestations', 'repair'];
    return [...repair, ...chain, '--backup', this.backup, ...words];
  }

  restore(...words: string[]): Promise<CommandResult> {
    const restore = ['attestations', 'restore', this.backup];
    return runAdmin(['--firebase-project', this.project, ...restore, ...words]);
  }

  /** All documents of the mirror, by path. */
  async stored(): Promise<Record<string, unknown>> {
    const { docs } = await this.db.collection('attestations').get();
    return Object.fromEntries(docs.map((one) => [one.ref.path, one.data()]));
  }

  /** The paths of the saved documents, in order. */
  saved(): string[] {
    const lines = readFileSync(this.backup, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line).document);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.chain[Symbol.asyncDispose]();
    await this.db.terminate();
  }
}
