// Reports the progress of long work on standard error: in place on a terminal, otherwise as a line every 2 seconds.

import { formatCount } from './table.ts';

/** The interval between lines if the output is not a terminal. */
const LINE_EVERY_MS = 2_000;

export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress extends Disposable {
  /** @param detail a few words after the count, e.g. "findings: 3" */
  readonly report: (done: number, detail?: string) => void;
  /** Prints a line above the progress. */
  readonly note: (text: string) => void;
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
  let shown = '';
  return {
    report(done, detail) {
      const of = total === undefined ? '' : ` of ${formatCount(total)}`;
      const line = `${formatCount(done)}${of} ${unit}${detail ? `, ${detail}` : ''}`;
      if (output.isTTY) {
        shown = line;
        output.write(`\r\x1b[K${line}`);
      } else if (performance.now() - printedAt >= LINE_EVERY_MS) {
        printedAt = performance.now();
        output.write(`${line}\n`);
      }
    },
    note(text) {
      output.write(shown ? `\r\x1b[K${text}\n${shown}` : `${text}\n`);
    },
    /** Ends the line of the progress. */
    [Symbol.dispose]() {
      if (shown) output.write('\n');
    },
  };
}
