// The failures of a lookup. What is printed of them contains neither the key nor the subject.

import type { Evidence } from './evidence.ts';
import type { Code } from './result.ts';

export interface Details {
  status?: number;
  code?: Code | '';
  requestId?: string;
  retryAfter?: number | undefined;
  evidence?: Evidence | undefined;
  cause?: unknown;
}

/** A lookup has no result, so admit nobody. */
export class PohError extends Error {
  override readonly name: string = 'PohError';
  /** The HTTP status of the last response; 0 if there was none. */
  readonly status: number;
  /** Its code; empty if it has none. */
  readonly code: Code | '';
  /** Its id, to quote when you ask for help; empty if it has none. */
  readonly requestId: string;
  /** The seconds that the service asked to wait, if it did. */
  readonly retryAfter: number | undefined;

  constructor(message: string, details: Details = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.status = details.status ?? 0;
    this.code = details.code ?? '';
    this.requestId = details.requestId ?? '';
    this.retryAfter = details.retryAfter;
  }
}

/** The lookup was refused, and a retry would not help. Unless it is a `SubjectRefused`, tell your operators. */
export class Refused extends PohError {
  override readonly name: string = 'Refused';
}

/** The key is not valid, or not for this kind of lookup, so every lookup of its kind would fail. */
export class KeyRefused extends Refused {
  override readonly name = 'KeyRefused';
}

/** The subject is unknown, not valid or missing. `code` says what the person has to correct. */
export class SubjectRefused extends Refused {
  override readonly name = 'SubjectRefused';
  // Private, because it contains the subject, and programs print the fields of errors.
  readonly #evidence: Evidence | undefined;

  constructor(message: string, details: Details = {}) {
    super(message, details);
    this.#evidence = details.evidence;
  }

  /** Proves the refusal later; undefined if nothing was sent, or the operator did not sign the response. */
  get evidence(): Evidence | undefined {
    return this.#evidence;
  }
}

/** No attempt succeeded in time. Try again later. */
export class Unavailable extends PohError {
  override readonly name: string = 'Unavailable';
}

/** The last response was a 429, so the key has used up its reads, or the service has no free instance. */
export class RateLimited extends Unavailable {
  override readonly name = 'RateLimited';
}

/** No complete response arrived. The message names a setting, if one is wrong; `cause` has the network's own words. */
export class ConnectionFailed extends Unavailable {
  override readonly name = 'ConnectionFailed';
}
