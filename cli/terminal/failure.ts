// The failure of a command: one sentence, and an exit status that scripts can rely on.

const FAILED = 1;
/** The exit status for incorrect usage. */
export const USAGE = 2;

interface FailureOptions extends ErrorOptions {
  exitStatus?: number;
  code?: string;
}

/** A failure that the user can act on. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** Undefined for the usual status of a failure, which is 1 for most commands. */
  readonly exitStatus: number | undefined;
  /** A stable code, for the commands that print it with --json. */
  readonly code: string | undefined;

  /** @param message one sentence, printed without a stack trace */
  constructor(message: string, { exitStatus, code, ...options }: FailureOptions = {}) {
    super(message, options);
    this.exitStatus = exitStatus;
    this.code = code;
  }
}

/** The command was used incorrectly and has done nothing. */
export const usageFailure = (message: string, cause?: unknown): Failure =>
  new Failure(message, { exitStatus: USAGE, ...(cause !== undefined && { cause }) });

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
    process.exitCode = error.exitStatus ?? FAILED;
  }
}
