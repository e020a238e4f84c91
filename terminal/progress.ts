// Reports the progress of long work on standard error: a bar on a terminal, else a line now and then.

import { formatCount } from './table.ts';

const BAR_CHARACTERS = 40;
/** How often a line is printed where nothing can be redrawn. */
const LINE_EVERY_MS = 2_000;

export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /** @param detail a few words behind the count, as in "findings: 3" */
  readonly report: (done: number, detail?: string) => void;
  /** Prints a line of its own between two states. */
  readonly note: (text: string) => void;
  /** Leaves the bar's line; nothing is reported after it. */
  readonly end: () => void;
}

/** @returns the bar alone, as in "[####----]" */
export function formatBar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const filled = Math.floor(share * BAR_CHARACTERS);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CHARACTERS - filled)}]`;
}

/**
 * @param total how much there is to do; undefined: nobody knows
 * @param unit what is counted, as in "documents audited"
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
