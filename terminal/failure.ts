// The failure of a command: one sentence, and an exit status that scripts can rely on.

/** Exit statuses: 1 for a failure, 2 for incorrect usage. */
const FAILED = 1;
const USAGE = 2;

/** A failure that the user can act on. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitStatus: number;

  /** @param message one sentence, printed without a stack trace */
  constructor(
    message: string,
    { exitStatus = FAILED, ...options }: ErrorOptions & { exitStatus?: number } = {},
  ) {
    super(message, options);
    this.exitStatus = exitStatus;
  }
}

/** The command was used incorrectly and has done nothing. */
export const usageFailure = (message: string, cause?: unknown): Failure =>
  new Failure(message, { exitStatus: USAGE, ...(cause !== undefined && { cause }) });
