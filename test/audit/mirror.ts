// Writes mirrors for the tests of the audit, and audits them.

import { randomBytes } from 'node:crypto';
import type { Firestore } from 'firebase-admin/firestore';
import type { Finding } from '../../cli/audit/findings.ts';
import type { summaryText } from '../../cli/audit/report.ts';
import {
  type AttestationFields,
  attestationRecord,
  DEMONSTRATION_PROGRAM,
} from '../../contract/examples.ts';
import type { TestChain } from '../../tools/sandbox/testChain.ts';
import { runAdmin } from '../cli/adminCommand.ts';
import { randomAddress, randomContextHash } from '../support/random.ts';

/** Creates the record of an attestation of a random wallet. */
export const randomRecord = (fields: Partial<AttestationFields> = {}) =>
  attestationRecord({
    wallet: randomAddress(),
    attestationType: 1 + ((randomBytes(1)[0] ?? 0) % 4),
    contextHashHex: randomContextHash(),
    ...fields,
  });

/** The size of one commit. A bulk writer commits 20 at a time and takes five times as long. */
const BATCH_DOCUMENTS = 500;

/** Writes documents that match the chain. Every tenth is pending, and the others are confirmed. */
export async function seedValidMirror(
  db: Firestore,
  chain: TestChain,
  count: number,
): Promise<void> {
  for (let start = 0; start < count; start += BATCH_DOCUMENTS) {
    const batch = db.batch();
    for (let index = start; index < Math.min(start + BATCH_DOCUMENTS, count); index += 1) {
      const isPending = index % 10 === 9;
      const record = randomRecord({ status: isPending ? 'pending' : 'confirmed' });
      if (!isPending) chain.setAccount(record.onChainAddress, DEMONSTRATION_PROGRAM);
      batch.create(db.doc(`attestations/${record.onChainAddress}`), record);
    }
    await batch.commit();
  }
}

export const auditWords = (project: string, rpc: string, ...words: string[]): string[] => [
  ...['--firebase-project', project, 'attestations', 'audit'],
  ...['--rpc', rpc, '--program', DEMONSTRATION_PROGRAM, ...words],
];

/** Parses what `--json` prints: a finding on each line but the last, which is the summary. */
export function parseReport(stdout: string) {
  const [last = '', ...lines] = stdout.trimEnd().split('\n').reverse();
  const summary: Parameters<typeof summaryText>[0] & { auditedAt: string } = JSON.parse(last);
  const findings: Finding[] = lines.map((line) => JSON.parse(line));
  return { summary, findings };
}

/** Audits with `--json`, on a terminal. */
export async function audit(...words: Parameters<typeof auditWords>) {
  const line = [...auditWords(...words), '--json'];
  const { status, stdout, stderr } = await runAdmin(line, { isTTY: true });
  return { status, stderr, ...parseReport(stdout) };
}
