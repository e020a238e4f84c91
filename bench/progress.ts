// Owns what the benchmark says while it runs: on standard error, so that the table stands alone.

/** Goes through rounds and says which one is under way. */
export async function eachRound(
  title: string,
  rounds: number,
  run: (round: number) => Promise<void>,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    say(`${title}: round ${round} of ${rounds}`, round === rounds);
    await run(round);
  }
}

function say(line: string, last: boolean): void {
  if (!process.stderr.isTTY) process.stderr.write(`${line}\n`);
  else process.stderr.write(`\r\x1b[K${line}${last ? '\n' : ''}`);
}
