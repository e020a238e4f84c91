// The failures of a lookup. Their messages contain neither the key nor the subject.

/** The service refused the request, and a retry would not help. Branch on `code`. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** The HTTP status; 0 if nothing was sent because the subject is empty, or if the runtime hides a redirect's status. */
  readonly status: number;
  /** A code of the contract; `not_the_service` if the response did not come from the service. */
  readonly code: string;
  /** Quote it when you ask for help; empty if the response has none. */
  readonly requestId: string;

  constructor(status: number, code: string, requestId: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }

  /** Whether the same client may succeed with another subject. */
  get isAboutSubject(): boolean {
    const isOurs = this.code !== 'not_the_service' && this.code !== 'not_found';
    return isOurs && [0, 400, 404].includes(this.status);
  }
}

/** No attempt succeeded. Admit nobody, and try again later. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** The seconds that the service asked to wait, if it did. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

const ADDRESS = 'Check the address of the service';
const TEXT_MAX = 300;

/**
 * @param body the parsed body of the response
 * @param hide removes the key and the subject from a text
 */
export function refusal(status: number, body: unknown, hide: (text: string) => string): Refused {
  const { error, code, requestId } = (body ?? {}) as Record<string, unknown>;
  const isRedirect = status < 400;
  if (isRedirect || typeof error !== 'string' || typeof code !== 'string') {
    const what = isRedirect ? 'a redirect, which is not followed' : 'not from the service';
    return new Refused(status, 'not_the_service', '', `HTTP ${status}, ${what}. ${ADDRESS}.`);
  }
  // Remove secrets and control characters, since the text may come from another server.
  const clean = (text: string): string =>
    hide(text)
      .replaceAll(/[^\P{C}]/gu, ' ')
      .slice(0, TEXT_MAX);
  const id = typeof requestId === 'string' ? clean(requestId) : '';
  const message = `${status} ${clean(code)}: ${clean(error)} (request ${id || 'unknown'})`;
  return new Refused(status, clean(code), id, message);
}
