// Whether a change is still right for the document and the chain as they are now. Pure.

import { parseAttestation } from '../../records/attestation.ts';
import { comparePrecedence } from '../../records/precedence.ts';
import { compareEntry, parseEntry } from '../audit/compare.ts';
import type { MirrorDocument } from '../audit/mirror.ts';
import { parseReturnable } from '../audit/mirror.ts';
import type { Change } from './changes.ts';

/** What there is now, all of it read after the audit. */
export interface Present {
  readonly document: MirrorDocument | undefined;
  /** The document of the same attestation that stays, for a duplicate. */
  readonly kept: MirrorDocument | undefined;
  /** Who owns the account at the address of the change at `finalized`; null where there is none. */
  readonly owner: string | null;
  /** The database's clock, in milliseconds. */
  readonly nowMs: number;
}

/** What was synced later may be on the chain, and not yet at `finalized` or at a slow endpoint. */
export const VISIBLE_AFTER_MS = 2 * 60 * 1000;

/** @returns why the change must not be made, human-readable; undefined when it is still right */
export function findObstacle(
  change: Change,
  { document, kept, owner, nowMs }: Present,
  program: string,
): string | undefined {
  if (!document) return 'it is gone already';
  const parsed = parseEntry(document, program);
  if ('finding' in parsed) return `it is a case of ${parsed.finding.kind} now`;
  if (parsed.entry.onChainAddress !== change.onChainAddress) return 'it has another address now';
  if (change.kind === 'duplicate') return findKeptObstacle(document, kept, program);
  const findings = compareEntry(parsed.entry, owner, program);
  if (!findings.some(({ kind }) => kind === change.kind)) {
    return 'the finding is no longer true for the current document and the finalized chain';
  }
  if (change.kind === 'missing_on_chain' && nowMs - syncedAtMs(document) < VISIBLE_AFTER_MS) {
    return 'it was synced less than 2 minutes ago: the chain may not show it yet';
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

function syncedAtMs({ fields }: MirrorDocument): number {
  const parsed = parseAttestation(fields);
  return 'attestation' in parsed ? Date.parse(parsed.attestation.syncedAt) : Number.NaN;
}
