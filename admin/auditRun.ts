// Owns running an audit from a terminal: what is read and asked, progress, and the exit status.

import type { Firestore } from 'firebase-admin/firestore';
import { ownersReader, type ReadOwners } from '../chain/accounts.ts';
import { CHAIN_FAILURES, ChainError } from '../chain/chainFailure.ts';
import { DEFAULT_PATIENCE, type Wait } from '../chain/patience.ts';
import type { Wallet } from '../functions/src/wallet.ts';
import { audit } from './audit.ts';
import { AUDIT_STATUS, emptyTally, sumOf, type Tally } from './auditFindings.ts';
import {
  type AuditReport,
  type AuditSummary,
  formatCount,
  jsonReport,
  textReport,
} from './auditReport.ts';
import { Failure } from './failure.ts';
import { countDocuments, mirrorQuery, readPages } from './mirror.ts';
import { note, print } from './output.ts';

export interface AuditOptions {
  readonly rpc: URL;
  /** Address of the attestation program, base58. */
  readonly program: string;
  readonly wallet?: Wallet;
  readonly json?: boolean;
}

const PROGRESS_EVERY_MS = 2_000;

/** How far an audit has come: the part of its summary that grows as it goes on. */
interface Course {
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
 * @throws Failure once the report has been ended, when the chain or the mirror could not be asked
 */
export async function runAudit(db: Firestore, options: AuditOptions): Promise<number> {
  const startedAt = performance.now();
  const report = options.json ? jsonReport(print) : textReport(print);
  const course: Course = {
    documents: 0,
    total: 0,
    findings: emptyTally(),
    requests: 0,
    repetitions: 0,
  };
  let failure: AuditSummary['failure'];
  let cause: unknown;
  try {
    await follow(db, options, report, course);
  } catch (error) {
    cause = error;
    failure = describeFailure(error, options.rpc, course);
  }
  await report.end({
    complete: failure === undefined,
    ...(failure && { failure }),
    ...course,
    seconds: Math.round(performance.now() - startedAt) / 1000,
    peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  });
  if (failure) throw new Failure(failure.message, { exitStatus: AUDIT_STATUS.unknown, cause });
  return sumOf(course.findings) > 0 ? AUDIT_STATUS.findings : AUDIT_STATUS.agreed;
}

async function follow(
  db: Firestore,
  { rpc, program, wallet }: AuditOptions,
  report: AuditReport,
  course: Course,
): Promise<void> {
  const query = mirrorQuery(db, wallet);
  course.total = await countDocuments(query);
  const ask = ownersReader(rpc.href, DEFAULT_PATIENCE, (wait) => {
    course.repetitions += 1;
    course.requests += 1;
    note(waitLine(rpc, wait));
  });
  const readOwners: ReadOwners = (addresses) => {
    course.requests += 1;
    return ask(addresses);
  };
  // Asked first: on another cluster, or with another address, every single document would be a
  // finding. A closed program can be meant, so it is said and not refused.
  if ((await readOwners([program]))[0] === null) {
    note(`No program is at ${program} on the chain behind ${rpc.host}: check --program and --rpc.`);
  }
  let toldAt = Number.NEGATIVE_INFINITY;
  for await (const part of audit(readPages(query), program, readOwners)) {
    for (const finding of part.findings) {
      course.findings[finding.kind] += 1;
      await report.finding(finding);
    }
    course.documents += part.documents;
    if (performance.now() - toldAt < PROGRESS_EVERY_MS) continue;
    toldAt = performance.now();
    note(progressLine(course));
  }
  const { address_mismatch: mismatches, unreadable } = course.findings;
  if (mismatches > 1 && mismatches + unreadable === course.documents) {
    note(`No document derives to its address under ${program}: check --program.`);
  }
}

function progressLine({ documents, total, findings }: Course): string {
  const count = formatCount(sumOf(findings));
  return `${formatCount(documents)} of ${formatCount(total)} documents audited, findings: ${count}`;
}

function waitLine(rpc: URL, { failure, attempt, waitMs }: Wait): string {
  const next = `asking again in ${waitMs / 1000} s (try ${attempt + 1} of ${DEFAULT_PATIENCE.tries})`;
  return `${rpc.host} ${failure.message}; ${next}`;
}

function describeFailure(
  error: unknown,
  rpc: URL,
  { documents, total }: Course,
): NonNullable<AuditSummary['failure']> {
  const extent = `Audited: ${formatCount(documents)} of ${formatCount(total)} documents.`;
  if (error instanceof ChainError) {
    // Only the host: the rest of the address often holds the key to the endpoint.
    const { advice, passing } = CHAIN_FAILURES[error.code];
    const tries = passing ? `, after ${DEFAULT_PATIENCE.tries} tries` : '';
    const what = `The chain could not be asked: ${rpc.host} ${error.message}${tries}.`;
    const message = `${what} ${extent} ${advice}`;
    return { code: error.code, message };
  }
  const cause = error instanceof Error ? error.message : String(error);
  return { code: 'mirror', message: `The mirror could not be read: ${cause}. ${extent}` };
}
