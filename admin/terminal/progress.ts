// Reports the progress of long work on standard error: as a bar on a terminal, otherwise as a line every 2 seconds.

import { formatCount } from './table.ts';

const BAR_CHARACTERS = 40;
/** The interval between lines if the output is not a terminal. */
const LINE_EVERY_MS = 2_000;

export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /** @param detail a few words after the count, e.g. "findings: 3" */
  readonly report: (done: number, detail?: string) => void;
  /** Prints a line above the bar. */
  readonly note: (text: string) => void;
  /** Ends the bar's line. Nothing may be reported afterwards. */
  readonly end: () => void;
}

/** @returns only the bar, e.g. "[####----]" */
export function formatBar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const filled = Math.floor(share * BAR_CHARACTERS);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CHARACTERS - filled)}]`;
}

/**
 * @param total the final count, undefined if it is not known
 * @param unit the counted unit, e.g. "documents audited"
 */
export function startProgress(
  total: number | undefined,
  unit: string,
  output: ProgressOutput = process.stderr,
): Progress {
  let printedAt = performance.now();
  let state = '';
  return {
    report(done, detail) {
      const of = total === undefined ? '' : ` of ${formatCount(total)}`;
      const count = `${formatCount(done)}${of} ${unit}`;
      const line = detail ? `${count}, ${detail}` : count;
      if (output.isTTY) {
        state = total === undefined ? line : `${formatBar(done, total)} ${line}`;
        output.write(`\r\x1b[K${state}`);
      } else if (performance.now() - printedAt >= LINE_EVERY_MS) {
        printedAt = performance.now();
        output.write(`${line}\n`);
      }
    },
    note(text) {
      output.write(state ? `\r\x1b[K${text}\n${state}` : `${text}\n`);
    },
    end() {
      if (state) output.write('\n');
      state = '';
    },
  };
}
