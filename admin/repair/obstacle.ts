// Whether a change is still right for the document and the chain as they are now. Pure.

import type { Account } from '../../chain/accounts.ts';
import { comparePrecedence } from '../../records/precedence.ts';
import { compareEntry, parseEntry } from '../audit/compare.ts';
import type { MirrorDocument } from '../audit/mirror.ts';
import { parseReturnable } from '../audit/mirror.ts';
import type { Change } from './changes.ts';
import type { ReadDocument } from './document.ts';

/** What there is now, all of it read after the audit. */
export interface Present {
  readonly document: ReadDocument | undefined;
  /** The document of the same attestation that stays, for a duplicate. */
  readonly kept: MirrorDocument | undefined;
  /** The account at the address of the change at `finalized`; null where there is none. */
  readonly account: Account | null;
  /** The chain's own clock as of `account`, in milliseconds. */
  readonly chainMs: number;
}

/** What was synced later may be on the chain, and not yet at `finalized` or at this node. */
const VISIBLE_AFTER_MS = 2 * 60 * 1000;

/** @returns why the change must not be made, human-readable; undefined when it is still right */
export function findObstacle(
  change: Change,
  { document, kept, account, chainMs }: Present,
  program: string,
): string | undefined {
  if (!document) return 'it is gone already';
  const parsed = parseEntry(document, program);
  if ('finding' in parsed) return `it is a case of ${parsed.finding.kind} now`;
  if (parsed.entry.onChainAddress !== change.onChainAddress) return 'it has another address now';
  if (change.kind === 'duplicate') return findKeptObstacle(document, kept, program);
  const findings = compareEntry(parsed.entry, account, program);
  if (!findings.some(({ kind }) => kind === change.kind)) {
    return 'the finding is no longer true for the current document and the finalized chain';
  }
  // A sync is a write: a later `syncedAt` than that of the document's last write is wrong.
  const syncedMs = Math.min(parsed.times.syncedAt, document.updateTime.toMillis());
  if (change.kind === 'missing_on_chain' && chainMs - syncedMs < VISIBLE_AFTER_MS) {
    return 'it was synced less than 2 minutes before the time of the node: run it again later';
  }
  return undefined;
}

/** A copy goes only while the document that stands for it is there, and is sound. */
function findKeptObstacle(
  document: MirrorDocument,
  kept: MirrorDocument | undefined,
  program: string,
): string | undefined {
  const [copy, standing] = [parseReturnable(document), kept && parseReturnable(kept)];
  if (!kept || !copy || !standing) return 'the document that was to stay is gone or unreadable';
  if ('finding' in parseEntry(kept, program) || standing.wallet !== copy.wallet) {
    return 'the document that was to stay is of another attestation';
  }
  return comparePrecedence(standing, copy) < 0
    ? undefined
    : 'the endpoint returns this one now, and not the one that was to stay';
}
