// Reads the structured lines that a served function has logged.

/** @param output everything that the process has written */
export function loggedEntries(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** The one line that each request is to have. */
export const requestEntries = (output: string): Record<string, unknown>[] =>
  loggedEntries(output).filter(({ message }) => message === 'lookup');
