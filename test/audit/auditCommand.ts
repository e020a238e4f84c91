// Runs the audit command, and parses its JSON report.

import type { Finding } from '../../cli/audit/findings.ts';
import type { summaryText } from '../../cli/audit/report.ts';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { type CommandResult, runAdmin } from '../cli/adminCommand.ts';

/** Parses what `--json` prints: a finding on each line but the last, which is the summary. */
export function parseReport(stdout: string) {
  const [last = '', ...lines] = stdout.trimEnd().split('\n').reverse();
  const summary: Parameters<typeof summaryText>[0] = JSON.parse(last);
  const findings: Finding[] = lines.map((line) => JSON.parse(line));
  return { summary, findings };
}

export const auditWords = (project: string, rpc: string, ...words: string[]): string[] => [
  ...['--firebase-project', project, 'attestations', 'audit'],
  ...['--rpc', rpc, '--program', DEMONSTRATION_PROGRAM, ...words],
];

export const auditOf = (...words: Parameters<typeof auditWords>): Promise<CommandResult> =>
  runAdmin(auditWords(...words));
