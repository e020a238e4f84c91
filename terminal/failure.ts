// How a command fails: in one sentence, with an exit status that a script can rely on.

/** Exit statuses: 1 for any failure, 2 for a command line that cannot be carried out as it is. */
const FAILED = 1;
const USAGE = 2;

/** A failure that the user can act on. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitStatus: number;

  /** @param message one sentence, printed as it is, without a stack trace */
  constructor(
    message: string,
    { exitStatus = FAILED, ...options }: ErrorOptions & { exitStatus?: number } = {},
  ) {
    super(message, options);
    this.exitStatus = exitStatus;
  }
}

/** The command line itself is wrong, and nothing was done. */
export const usageFailure = (message: string, cause?: unknown): Failure =>
  new Failure(message, { exitStatus: USAGE, ...(cause !== undefined && { cause }) });
