// Runs the audit command, and parses its JSON report.

import * as z from 'zod';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { type CommandResult, runAdmin } from '../cli/adminCommand.ts';

const finding = z.looseObject({ kind: z.string(), document: z.string().default('') });
const summary = z.strictObject({
  message: z.literal('audit'),
  complete: z.boolean(),
  failure: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  warnings: z.array(
    z.strictObject({ code: z.string(), finding: z.string().optional(), message: z.string() }),
  ),
  documents: z.int(),
  total: z.int(),
  accounts: z.int().nullable(),
  findings: z.record(z.string(), z.int().nullable()),
  found: z.int(),
  syncedHoursAgo: z.number().nullable(),
  stale: z.boolean(),
  seconds: z.number(),
  peakMemoryMiB: z.number(),
});

/** Parses what `--json` prints: a finding on each line but the last, which is the summary. */
export function parseReport(stdout: string) {
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { summary: summary.parse(lines.pop()), findings: z.array(finding).parse(lines) };
}

export const auditWords = (project: string, rpc: string, ...words: string[]): string[] => [
  ...['--firebase-project', project, 'attestations', 'audit'],
  ...['--rpc', rpc, '--program', DEMONSTRATION_PROGRAM, ...words],
];

export const auditOf = (...words: Parameters<typeof auditWords>): Promise<CommandResult> =>
  runAdmin(auditWords(...words));
