// Runs the body of a script, and prints a `Failure` as one sentence.

import { Failure } from './failure.ts';

/**
 * @param body returns the exit status, or throws a `Failure`, whose message is printed without a stack
 *   trace and whose exit status is used
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
