// Owns the failures that the person at the keyboard can mend.

/** Told as one sentence, without a stack trace. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/** Runs a script's body; a `SetupError` ends it with its sentence and exit status 1. */
export async function runScript(body: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await body();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
