// Runs the body of a script, and prints a failure that the user can act on as its one sentence.

import { Failure } from './failure.ts';

/**
 * @param body returns the exit status; a `Failure` that it throws ends the script with its sentence
 *   and its exit status, without a stack trace
 */
export async function runScript(body: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await body();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exitCode = error.exitStatus;
  }
}
