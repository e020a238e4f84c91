// Owns the bar that a long command draws on standard error.

const WIDTH = 40;

/** @returns the bar as one line, as in "[####----] 2 of 4" */
export function formatBar(done: number, total: number): string {
  const filled = Math.min(WIDTH, Math.floor((done / total) * WIDTH));
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done} of ${total}`;
}

/** Draws the bar over its previous state; draws nothing where nobody watches. */
export function drawBar(done: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${formatBar(done, total)}`);
}

/** Leaves the bar's line. */
export function endBar(): void {
  if (process.stderr.isTTY) process.stderr.write('\n');
}
