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

/** The changes for one audit. Each document is changed once; a deletion takes precedence over a confirmation. */
export class ChangePlan {
  readonly #kinds: ReadonlySet<FindingKind>;
  readonly #changes = new Map<string, Change>();

  constructor(kinds: readonly RepairKind[]) {
    this.#kinds = new Set<FindingKind>(kinds);
  }

  add(finding: Finding): void {
    if (!this.#kinds.has(finding.kind)) return;
    for (const change of changesFor(finding)) {
      const planned = this.#changes.get(change.document);
      if (planned === undefined || !isDeletion(planned)) this.#changes.set(change.document, change);
    }
  }

  changes(): readonly Change[] {
    return [...this.#changes.values()];
  }
}

function changesFor(finding: Finding): Change[] {
  switch (finding.kind) {
    case 'ready_to_confirm':
    case 'missing_on_chain': {
      const { kind, document, onChainAddress } = finding;
      return [{ kind, document, onChainAddress }];
    }
    case 'duplicate': {
      const { kind, document: kept, onChainAddress } = finding;
      return finding.others.map((document) => ({ kind, document, onChainAddress, kept }));
    }
    default:
      return [];
  }
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
  const parts = [
    [changes.length - deletions, 'confirmation'],
    [deletions, 'deletion'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => formatAmount(count, word))
    .join(' and ');
}
