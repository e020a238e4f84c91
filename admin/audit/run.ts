// Runs an audit from a terminal: the requests it makes, its progress and its exit status.

import type { Firestore } from 'firebase-admin/firestore';
import { ownersReader, type ReadOwners } from '../../chain/accounts.ts';
import { CHAIN_FAILURES, ChainError } from '../../chain/chainFailure.ts';
import { DEFAULT_RETRY_POLICY, type Retry } from '../../chain/retries.ts';
import type { Wallet } from '../../records/wallet.ts';
import { Failure } from '../../terminal/failure.ts';
import { startProgress } from '../../terminal/progress.ts';
import { formatCount } from '../../terminal/table.ts';
import { note, print } from '../output.ts';
import { compareMirror } from './compare.ts';
import { AUDIT_STATUS, emptyTally, sumOf, type Tally } from './findings.ts';
import { countDocuments, mirrorQuery, readPages } from './mirror.ts';
import { type AuditReport, type AuditSummary, jsonReport, textReport } from './report.ts';

export interface AuditOptions {
  readonly rpc: URL;
  /** Address of the attestation program, base58. */
  readonly program: string;
  readonly wallet?: Wallet;
  readonly json?: boolean;
}

/** The part of an audit's summary that grows as it goes on. */
interface AuditProgress {
  documents: number;
  total: number;
  readonly findings: Tally;
  requests: number;
  repetitions: number;
}

/**
 * Audits the mirror: the report on standard output, progress on standard error.
 *
 * @returns the exit status
 * @throws Failure once the report has been ended, when the chain or the mirror could not be read
 */
export async function runAudit(db: Firestore, options: AuditOptions): Promise<number> {
  const startedAt = performance.now();
  const report = options.json ? jsonReport(print) : textReport(print);
  const progress: AuditProgress = {
    documents: 0,
    total: 0,
    findings: emptyTally(),
    requests: 0,
    repetitions: 0,
  };
  let failure: AuditSummary['failure'];
  let cause: unknown;
  try {
    await auditInto(db, options, report, progress);
  } catch (error) {
    cause = error;
    failure = describeFailure(error, options.rpc, progress);
  }
  await report.end({
    complete: failure === undefined,
    ...(failure && { failure }),
    ...progress,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  });
  if (failure) throw new Failure(failure.message, { exitStatus: AUDIT_STATUS.unknown, cause });
  return sumOf(progress.findings) > 0 ? AUDIT_STATUS.findings : AUDIT_STATUS.agreed;
}

async function auditInto(
  db: Firestore,
  { rpc, program, wallet }: AuditOptions,
  report: AuditReport,
  progress: AuditProgress,
): Promise<void> {
  const query = mirrorQuery(db, wallet);
  progress.total = await countDocuments(query);
  const bar = startProgress(progress.total, 'documents audited');
  const request = ownersReader(rpc.href, DEFAULT_RETRY_POLICY, (retry) => {
    progress.repetitions += 1;
    progress.requests += 1;
    bar.note(retryLine(rpc, retry));
  });
  const readOwners: ReadOwners = (addresses) => {
    progress.requests += 1;
    return request(addresses);
  };
  try {
    // Requested first: on another cluster, or with another address, every single document would be
    // a finding. A closed program can be meant, so it is reported and not refused.
    if ((await readOwners([program]))[0] === null) {
      bar.note(
        `No program is at ${program} on the chain behind ${rpc.host}: check --program and --rpc.`,
      );
    }
    for await (const part of compareMirror(readPages(query), program, readOwners)) {
      for (const finding of part.findings) {
        progress.findings[finding.kind] += 1;
        await report.finding(finding);
      }
      progress.documents += part.documents;
      bar.report(progress.documents, `findings: ${formatCount(sumOf(progress.findings))}`);
    }
  } finally {
    bar.end();
  }
  const { address_mismatch: mismatches, unreadable } = progress.findings;
  if (mismatches > 1 && mismatches + unreadable === progress.documents) {
    note(`No document derives to its address under ${program}: check --program.`);
  }
}

function retryLine(rpc: URL, { failure, attempt, backoffMs }: Retry): string {
  const next = `trying again in ${backoffMs / 1000} s (attempt ${attempt + 1} of ${DEFAULT_RETRY_POLICY.maxAttempts})`;
  return `${rpc.host} ${failure.message}; ${next}`;
}

function describeFailure(
  error: unknown,
  rpc: URL,
  { documents, total }: AuditProgress,
): NonNullable<AuditSummary['failure']> {
  const extent = `Audited: ${formatCount(documents)} of ${formatCount(total)} documents.`;
  if (error instanceof ChainError) {
    // Only the host: the rest of the address often holds the key to the endpoint.
    const { advice, transient } = CHAIN_FAILURES[error.code];
    const attempts = transient ? `, after ${DEFAULT_RETRY_POLICY.maxAttempts} attempts` : '';
    const what = `The chain could not be read: ${rpc.host} ${error.message}${attempts}.`;
    const message = `${what} ${extent} ${advice}`;
    return { code: error.code, message };
  }
  const cause = error instanceof Error ? error.message : String(error);
  return { code: 'mirror', message: `The mirror could not be read: ${cause}. ${extent}` };
}
