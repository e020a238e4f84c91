// The audit is a pipeline: check the node, list the program's accounts, then read the mirror page by page, read the
// accounts of each page, compare them, and report. Each step returns values, and `runAudit` counts. It changes nothing.

import type { Wallet } from '../../records/wallet.ts';
import {
  ACCOUNTS_PER_REQUEST,
  readAccounts,
  readFinalized,
  readGenesisHash,
  readProgramAccounts,
} from '../chain/chainAccounts.ts';
import type { Node } from '../chain/rpc.ts';
import { failureOf } from '../frame/firebaseProject.ts';
import { highlightWarnings, print } from '../frame/output.ts';
import type { ReadableDatabase } from '../frame/reads.ts';
import { currentRun } from '../frame/run.ts';
import type { Target } from '../frame/target.ts';
import { Failure } from '../terminal/failure.ts';
import { startProgress } from '../terminal/progress.ts';
import { formatCount, safeJson } from '../terminal/table.ts';
import {
  checkDocument,
  compareDocument,
  findDuplicates,
  findUnmirrored,
  latestSync,
} from './compare.ts';
import type { Finding } from './findings.ts';
import {
  ADDRESSES_PER_QUERY,
  addressesOf,
  countDocuments,
  type MirrorDocument,
  readAt,
  readMirror,
} from './mirror.ts';
import {
  type Audited,
  findingLine,
  foundIn,
  NOTHING_AUDITED,
  type ReportOptions,
  summarize,
  summaryText,
} from './report.ts';

/** The exit statuses of an audit. */
export const AUDIT_STATUS = { noFindings: 0, findings: 1, unknown: 3 } as const;

/** The hash of the first block of devnet, on which the attestations are (specification, 1.3). */
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
/** How many batches of documents are compared with the chain at a time, because most of the time is spent waiting. */
const BATCHES_AT_A_TIME = 4;
/** The audit refuses a node that is further behind. */
const NODE_AGE_MAX_MS = 5 * 60 * 1000;

const EMPTY =
  'The mirror has no documents. Check --firebase-project, and whether the mirror was lost.';

export interface AuditOptions extends ReportOptions {
  readonly rpc: URL;
  /** Base58 address of the attestation program. */
  readonly program: string;
  readonly wallet?: Wallet;
  readonly json?: boolean;
}

/** What a step of the audit adds. */
interface Step extends Partial<Pick<Audited, 'documents' | 'accounts' | 'syncedMs'>> {
  readonly findings?: readonly Finding[];
}

/**
 * Audits the mirror. The report goes to standard output as it is known, the progress to standard error.
 *
 * @throws Failure after the end of the report, when the chain or the mirror could not be read
 */
export async function runAudit({ db, nowMs }: Target, options: AuditOptions): Promise<void> {
  const startedAt = performance.now();
  let audited = NOTHING_AUDITED;
  let failure: Failure | undefined;
  try {
    const total = await countDocuments(db, options.wallet);
    audited = { ...audited, total };
    if (total === 0 && !options.wallet) throw new Failure(EMPTY, { code: 'empty_mirror' });
    using progress = startProgress(total, 'documents audited', currentRun().stderr);
    const node = { url: options.rpc, note: progress.note };
    for await (const step of auditSteps(db, node, options, nowMs)) {
      for (const finding of step.findings ?? []) {
        await print(`${options.json ? safeJson(finding) : findingLine(finding)}\n`);
      }
      audited = add(audited, step);
      progress.report(audited.documents, `findings: ${formatCount(foundIn(audited))}`);
    }
  } catch (error) {
    const message = `Firestore could not be read. ${failureOf(error).message}`;
    failure =
      error instanceof Failure ? error : new Failure(message, { cause: error, code: 'mirror' });
  }
  const summary = {
    ...summarize(audited, options, nowMs(), failure),
    auditedAt: new Date(nowMs()).toISOString(),
    seconds: Math.round(performance.now() - startedAt) / 1000,
    peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  await print(`${options.json ? safeJson(summary) : highlightWarnings(summaryText(summary))}\n`);
  if (failure) throw failure;
  const isClean = summary.found === 0 && summary.warnings.length === 0;
  currentRun().exitStatus = isClean ? AUDIT_STATUS.noFindings : AUDIT_STATUS.findings;
}

function add(audited: Audited, { findings = [], ...step }: Step): Audited {
  const tally = { ...audited.findings };
  for (const { kind } of findings) tally[kind] = (tally[kind] ?? 0) + 1;
  return {
    ...audited,
    documents: audited.documents + (step.documents ?? 0),
    accounts: step.accounts ?? audited.accounts,
    syncedMs: Math.max(audited.syncedMs, step.syncedMs ?? 0),
    findings: tally,
  };
}

async function* auditSteps(
  db: ReadableDatabase,
  endpoint: Node,
  { program, wallet, bothWays = false }: AuditOptions,
  nowMs: () => number,
): AsyncGenerator<Step> {
  const node = { ...endpoint, slot: await checkNode(endpoint, program, nowMs()) };
  // Listed before the documents are read, so that an account mirrored during the audit is not reported as missing.
  const listed = bothWays ? await listAccounts(node, program) : undefined;
  if (listed) yield { accounts: listed.size };
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  const inFlight: Promise<Step>[] = [];
  for await (const page of readMirror(db, wallet)) {
    for (const documents of batchesOf(page, ACCOUNTS_PER_REQUEST)) {
      for (const address of addressesOf(documents)) {
        (seen.has(address) ? repeated : seen).add(address);
      }
      const step = auditDocuments(documents, node, program, nowMs);
      // A failure is thrown in its turn.
      step.catch(() => undefined);
      inFlight.push(step);
      if (inFlight.length === BATCHES_AT_A_TIME) yield await (inFlight.shift() ?? step);
    }
  }
  for (const step of inFlight) yield await step;
  for (const addresses of batchesOf([...repeated], ADDRESSES_PER_QUERY)) {
    yield { findings: findDuplicates(await readAt(db, addresses)) };
  }
  const unmirrored = [...(listed ?? [])].filter((address) => !seen.has(address));
  for (const addresses of batchesOf(unmirrored, ADDRESSES_PER_QUERY)) {
    // Read again, because an account may have been mirrored or closed since it was listed.
    const mirrored = new Set(addressesOf(await readAt(db, addresses)));
    const accounts = await readAccounts(node, addresses);
    yield { findings: findUnmirrored(addresses, accounts, mirrored, program) };
  }
}

async function auditDocuments(
  documents: readonly MirrorDocument[],
  node: Node,
  program: string,
  nowMs: () => number,
): Promise<Step> {
  const checked = documents.map((document) => checkDocument(document, program));
  const valid = checked.filter((one) => 'attestation' in one);
  const addresses = valid.map(({ attestation }) => attestation.onChainAddress);
  const accounts = await readAccounts(node, addresses);
  const now = nowMs();
  return {
    documents: documents.length,
    syncedMs: latestSync(valid, now),
    findings: [
      ...checked.filter((one) => 'kind' in one),
      ...valid.flatMap((one, index) => compareDocument(one, accounts[index] ?? null, program, now)),
    ],
  };
}

function* batchesOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

/** @returns the accounts' addresses; undefined if the node refuses, because all else can be audited without them */
async function listAccounts(node: Node, program: string): Promise<Set<string> | undefined> {
  try {
    return await readProgramAccounts(node, program);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    node.note(error.message);
    return undefined;
  }
}

/**
 * Checks that the node is on the right cluster, has the program and is up to date.
 *
 * @param now milliseconds since the epoch
 * @returns the node's slot, which later responses must have reached
 */
async function checkNode(node: Node, program: string, now: number): Promise<number> {
  const { host } = node.url;
  if ((await readGenesisHash(node)) !== DEVNET) {
    const message = `${host} is not a node of Solana devnet (genesis hash ${DEVNET}). Check --rpc.`;
    throw new Failure(message, { code: 'wrong_cluster' });
  }
  const { slot, timeMs } = await readFinalized(node, program);
  const ageMs = now - timeMs;
  if (ageMs > NODE_AGE_MAX_MS) {
    throw new Failure(
      `${host} is ${formatCount(Math.round(ageMs / 60_000))} minutes behind the chain. Use another ` +
        'endpoint, or try again once it has caught up.',
      { code: 'stale_node' },
    );
  }
  return slot;
}
