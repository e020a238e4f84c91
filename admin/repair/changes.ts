// Plans the changes for findings; each change concerns one document. Pure.

import { FINDING_KINDS, type Finding, type FindingKind } from '../audit/findings.ts';
import { escapeForTerminal, formatAmount } from '../terminal/table.ts';

/** The kinds that can be repaired without a decision by a person, and the repair of each. */
export const REPAIRS = {
  ready_to_confirm: 'confirm',
  missing_on_chain: 'delete',
  duplicate: 'delete',
} as const satisfies Partial<Record<FindingKind, 'confirm' | 'delete'>>;

export type RepairKind = keyof typeof REPAIRS;

export const REPAIR_KINDS = ['ready_to_confirm', 'missing_on_chain', 'duplicate'] as const;

export interface Change {
  readonly kind: RepairKind;
  /** Path of the document to change. */
  readonly document: string;
  readonly onChainAddress: string;
  /** For a duplicate, the path of the document of the same attestation that is kept. */
  readonly kept?: string;
}

export const isDeletion = ({ kind }: Change): boolean => REPAIRS[kind] === 'delete';

/**
 * Adds the changes for a finding to a plan. Each document is changed once; a deletion takes precedence over a
 * confirmation.
 *
 * @param plan the changes by the path of the document
 */
export function addChanges(
  plan: Map<string, Change>,
  finding: Finding,
  kinds: readonly FindingKind[],
): void {
  if (!kinds.includes(finding.kind)) return;
  for (const change of changesFor(finding)) {
    const planned = plan.get(change.document);
    if (planned === undefined || !isDeletion(planned)) plan.set(change.document, change);
  }
}

function changesFor(finding: Finding): Change[] {
  if (finding.kind === 'duplicate') {
    const { kind, document: kept, onChainAddress, others } = finding;
    return others.map((document) => ({ kind, document, onChainAddress, kept }));
  }
  if (finding.kind !== 'ready_to_confirm' && finding.kind !== 'missing_on_chain') return [];
  const { kind, document, onChainAddress } = finding;
  return [{ kind, document, onChainAddress }];
}

/** A line of the report. @param reason why the change was not made; undefined if it was, or is planned */
export function lineOf(
  outcome: string,
  { kind, document, onChainAddress, kept }: Change,
  reason?: string,
): string {
  const because = kept ? `${escapeForTerminal(kept)} is kept` : FINDING_KINDS[kind].meaning;
  const where = `${outcome.padEnd(7)}  ${escapeForTerminal(document)}  ${onChainAddress}`;
  return `${where}  ${kind}: ${reason ?? because}`;
}

/** Counts changes, as in "100 confirmations and 200 deletions". */
export function describeChanges(changes: readonly Change[]): string {
  const deletions = changes.filter(isDeletion).length;
  const confirmations = changes.length - deletions;
  return [
    ...(confirmations > 0 ? [formatAmount(confirmations, 'confirmation')] : []),
    ...(deletions > 0 ? [formatAmount(deletions, 'deletion')] : []),
  ].join(' and ');
}
