// The reasons for which an audit reports nothing: its findings would be meaningless.

/** The closed set of reasons, as they stand in `summary.failure.code`. */
export const AUDIT_REFUSALS = {
  no_program: 'the program does not exist on this chain',
  empty_mirror: 'the mirror has no documents',
} as const;

export type AuditRefusalCode = keyof typeof AUDIT_REFUSALS;

/** The audit could not begin; the message is human-readable. */
export class AuditRefusal extends Error {
  override readonly name = 'AuditRefusal';
  readonly code: AuditRefusalCode;

  constructor(code: AuditRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const noProgram = (program: string, host: string): AuditRefusal =>
  new AuditRefusal(
    'no_program',
    `No program is at ${program} on the chain behind ${host}: check --program and --rpc.`,
  );

export const emptyMirror = (): AuditRefusal =>
  new AuditRefusal(
    'empty_mirror',
    'The mirror has no documents at all: check --firebase-project, and whether the mirror was lost. ' +
      'Add --allow-empty if it is meant to be empty.',
  );
