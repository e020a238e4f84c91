// Parses the structured log lines of a served function.

/** @param output everything that the process has written */
export function loggedEntries(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** Returns the lines that the function logs once for each request. */
export const requestEntries = (output: string): Record<string, unknown>[] =>
  loggedEntries(output).filter(({ message }) => message === 'lookup');
