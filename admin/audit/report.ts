// Prints the report of an audit or a repair, as lines of text or as one JSON document. It is printed while
// the command runs, so entries are not kept in memory.

import { print } from '../frame/output.ts';
import { escapeForTerminal, safeJson } from '../terminal/table.ts';
import { FINDING_KINDS, type Finding } from './findings.ts';

/** Its methods resolve once the text is written, so that a slow reader slows the command down. */
export interface Report {
  /** @param line undefined for an entry that only the JSON document has */
  readonly entry: (value: object, line?: string) => Promise<void>;
  /** Prints text that only people need. */
  readonly remark: (text: string) => Promise<void>;
  readonly end: (summary: object) => Promise<void>;
}

/** Opens a report. As JSON it is `{"<name>": [...], "summary": {...}}`, with each entry on a separate line. */
export function openReport(name: 'findings' | 'changes', isJson = false): Report {
  if (!isJson) {
    return {
      entry: async (_, line) => (line === undefined ? undefined : print(`${line}\n`)),
      remark: (text) => print(`${text}\n`),
      end: async () => undefined,
    };
  }
  const opening = `{"${name}":[\n`;
  let before = opening;
  return {
    entry: async (value) => {
      await print(before + safeJson(value));
      before = ',\n';
    },
    remark: async () => undefined,
    end: (summary) =>
      print(`${before === opening ? opening : ''}\n],"summary":${safeJson(summary)}}\n`),
  };
}

/** Prints only the summary, as one line for a log. Findings contain wallets, which must not be logged. */
export const logReport = (): Report => ({
  entry: async () => undefined,
  remark: async () => undefined,
  end: (summary) => print(`${safeJson({ message: 'audit', ...summary })}\n`),
});

/** The width of the column of the kinds. */
export const KIND_WIDTH = Math.max(...Object.keys(FINDING_KINDS).map((kind) => kind.length));

export function findingLine(finding: Finding): string {
  const { kind } = finding;
  const address = kind === 'unreadable' ? '-' : finding.onChainAddress;
  const document = kind === 'missing_in_mirror' ? '-' : escapeForTerminal(finding.document);
  const todo = `${detailOf(finding)}; ${FINDING_KINDS[kind].remedy}`;
  return `${kind.padEnd(KIND_WIDTH)}  ${document}  ${address}  ${todo}`;
}

function detailOf(finding: Finding): string {
  if ('reason' in finding) return finding.reason;
  switch (finding.kind) {
    case 'address_mismatch':
      return `derives to ${finding.derivedAddress}`;
    case 'wrong_owner':
      return `owned by ${finding.owner}`;
    case 'duplicate':
      return `also in ${finding.others.map(escapeForTerminal).join(', ')}`;
    default:
      return FINDING_KINDS[finding.kind].meaning;
  }
}
