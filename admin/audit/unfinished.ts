// The exit status of an audit or a repair that could not be finished.

import { Failure } from '../../terminal/failure.ts';
import { AUDIT_STATUS } from './findings.ts';

/** Gives a failure from elsewhere a status of its own: 1 is reserved for findings. */
export function unfinished(what: string, cause: unknown): Failure {
  if (cause instanceof Failure) {
    if (cause.exitStatus !== AUDIT_STATUS.findings) return cause;
    return new Failure(cause.message, { exitStatus: AUDIT_STATUS.unknown, cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Failure(`The ${what} could not be finished: ${reason}`, {
    exitStatus: AUDIT_STATUS.unknown,
    cause,
  });
}
