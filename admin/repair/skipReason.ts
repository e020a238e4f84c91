// Decides whether a planned change is still right for the current document and chain. Pure.

import { comparePrecedence } from '../../records/precedence.ts';
import { compareEntry, parseEntry } from '../audit/compare.ts';
import type { MirrorDocument } from '../audit/mirror.ts';
import { parseValidDocument } from '../audit/mirror.ts';
import type { Account } from '../chain/accounts.ts';
import type { Change } from './changes.ts';
import type { ReadDocument } from './document.ts';

/** The current state, read after the audit. */
export interface Present {
  readonly document: ReadDocument | undefined;
  /** For a duplicate, the document of the same attestation to keep. */
  readonly kept: MirrorDocument | undefined;
  /** The account at the change's address, read at `finalized`; null if there is none. */
  readonly account: Account | null;
  /** The chain's clock when `account` was read, in milliseconds. */
  readonly chainMs: number;
}

/** An account that was synced more recently than this may not have reached `finalized` or this node yet. */
const VISIBLE_AFTER_MS = 2 * 60 * 1000;

/** @returns why the change must be skipped, for people; undefined if it is still right */
export function skipReason(
  change: Change,
  { document, kept, account, chainMs }: Present,
  program: string,
): string | undefined {
  if (!document) return 'it no longer exists';
  const parsed = parseEntry(document, program);
  if ('finding' in parsed) return `its finding is now ${parsed.finding.kind}`;
  if (parsed.entry.onChainAddress !== change.onChainAddress) return 'its address has changed';
  if (change.kind === 'duplicate') return duplicateSkipReason(document, kept, program);
  const findings = compareEntry(parsed.entry, account, program);
  if (!findings.some(({ kind }) => kind === change.kind)) {
    return 'the finding is no longer true for the current document and the finalized chain';
  }
  // A sync writes the document, so a `syncedAt` after the last write must be wrong.
  const syncedMs = Math.min(parsed.times.syncedAt, document.updateTime.toMillis());
  if (change.kind === 'missing_on_chain' && chainMs - syncedMs < VISIBLE_AFTER_MS) {
    return "by the node's clock, it was synced less than 2 minutes ago; run the repair again later";
  }
  return undefined;
}

/** Allows the deletion of a duplicate only while the document to keep exists and is valid. */
function duplicateSkipReason(
  document: MirrorDocument,
  kept: MirrorDocument | undefined,
  program: string,
): string | undefined {
  const [duplicate, original] = [parseValidDocument(document), kept && parseValidDocument(kept)];
  if (!kept || !duplicate || !original)
    return 'the document to keep no longer exists or is unreadable';
  if ('finding' in parseEntry(kept, program) || original.wallet !== duplicate.wallet) {
    return 'the document to keep belongs to another attestation';
  }
  return comparePrecedence(original, duplicate) < 0
    ? undefined
    : 'the endpoint now returns this document instead of the one to keep';
}
