// The warnings about an audit as a whole, beside its findings.

import { formatCount } from '../../terminal/table.ts';
import type { AuditState } from './auditMirror.ts';
import { FINDING_KINDS } from './findings.ts';

/** One entry of `summary.warnings`. */
export interface AuditWarning {
  /** Stable, to branch on. */
  readonly code: 'many_of_one_kind' | 'no_documents';
  /** The kind of finding that there are many of. */
  readonly finding?: string;
  /** Human-readable: what was found, and what to check. */
  readonly message: string;
}

/** A larger share than this, of more documents than that, rarely consists of single faults. */
const SHARE_MAX = 0.2;
const WHOLE_MAX = 20;

export function warningsOf(state: AuditState): AuditWarning[] {
  const counts = new Map(Object.entries(state.findings));
  const many = Object.entries(FINDING_KINDS).flatMap(([finding, { suspect }]) => {
    const ofAccounts = finding === 'missing_in_mirror';
    const whole = ofAccounts ? (state.accounts ?? 0) : state.documents;
    const found = counts.get(finding) ?? 0;
    if (whole <= WHOLE_MAX || found / whole <= SHARE_MAX) return [];
    const unit = ofAccounts ? 'accounts' : 'documents';
    const extent = `${finding} for ${formatCount(found)} of ${formatCount(whole)} ${unit}`;
    return [{ code: 'many_of_one_kind', finding, message: `${extent}: ${suspect}.` } as const];
  });
  if (state.documents > 0) return many;
  return [{ code: 'no_documents', message: 'No document was audited.' }, ...many];
}
