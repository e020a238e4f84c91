// Sets up a mirror, a chain and a folder for one test of the repair, and runs its command.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Firestore } from 'firebase-admin/firestore';
import * as z from 'zod';
import type { RepairKind } from '../../admin/repair/changes.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import type { Fault } from '../../tools/sandbox/chainFaults.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { type CommandResult, runAdmin, spawnAdmin } from '../admin/adminCommand.ts';
import { openOwnProject } from '../support/ownProject.ts';
import { plantRepairable, type Repairable } from './repairable.ts';

/** An audit of fewer than 100 documents sends three requests to the chain; after that, each change sends one. */
const AUDIT_REQUESTS = [undefined, undefined, undefined];

export class RepairCase implements AsyncDisposable {
  readonly chain: TestChain;
  readonly project: string;
  readonly db: Firestore;
  readonly folder = mkdtempSync(join(tmpdir(), 'poh-repair-'));
  readonly backup = join(this.folder, 'backup.jsonl');

  private constructor(chain: TestChain) {
    this.chain = chain;
    const { project, db } = openOwnProject();
    this.project = project;
    this.db = db;
  }

  static async start(): Promise<RepairCase> {
    return new RepairCase(await TestChain.start());
  }

  plant(kind: RepairKind, id: string): Promise<Repairable> {
    return plantRepairable(this.db, this.chain, kind, id);
  }

  /** Sets the chain's responses to the read that precedes each change, in order. */
  beforeChanges(...faults: (Fault | undefined)[]): void {
    this.chain.faults.push(...AUDIT_REQUESTS, ...faults);
  }

  attestations(...words: string[]): Promise<CommandResult> {
    return runAdmin(['--firebase-project', this.project, 'attestations', ...words]);
  }

  repair(...words: string[]): Promise<CommandResult> {
    return this.attestations('repair', ...this.#chainAndBackup(), ...words);
  }

  /** Repairs in a separate process. */
  spawnRepair(
    options: Parameters<typeof spawnAdmin>[1],
    ...words: string[]
  ): Promise<CommandResult> {
    const project = ['--firebase-project', this.project];
    const repair = ['attestations', 'repair', ...this.#chainAndBackup()];
    return spawnAdmin([...project, ...repair, ...words], options);
  }

  restore(...words: string[]): Promise<CommandResult> {
    return this.attestations('restore', this.backup, ...words);
  }

  #chainAndBackup(): string[] {
    const chain = ['--rpc', this.chain.url, '--program', DEMONSTRATION_PROGRAM];
    return [...chain, '--backup', this.backup];
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
    rmSync(this.folder, { recursive: true });
  }
}

/** The output of `--json`. */
export const repairDocument = z.strictObject({
  changes: z.array(
    z.strictObject({
      change: z.enum(['confirm', 'delete']),
      kind: z.string(),
      document: z.string(),
      onChainAddress: z.string(),
      kept: z.string().optional(),
      outcome: z.enum(['planned', 'done', 'skipped']),
      reason: z.string().optional(),
    }),
  ),
  summary: z.strictObject({
    complete: z.boolean(),
    failure: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    warnings: z.array(z.looseObject({ code: z.string() })),
    planned: z.int(),
    done: z.int(),
    skipped: z.int(),
    backup: z.string().nullable(),
  }),
});

export const EVERY_KIND = ['--ready-to-confirm', '--missing-on-chain', '--duplicate'];
export const APPLY = ['--apply', '--delete'];
