// Every error that a client can see. This file must not depend on where errors occur.

interface ErrorRow {
  readonly status: 400 | 401 | 404 | 405 | 500;
  /** Tells a person what is wrong and what to do next. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The closed set of error codes (specification, section 7). A code never changes its meaning. */
export const ERRORS = {
  missing_subject: {
    status: 400,
    message: 'No subject was supplied. Add one of the query parameters wallet, email or token.',
  },
  repeated_parameter: {
    status: 400,
    message: 'A subject parameter is given more than once. Send wallet, email or token only once.',
  },
  invalid_wallet: {
    status: 400,
    message: 'The wallet is not a base58 address of 32 bytes. Check that it was copied completely.',
  },
  malformed_request: {
    status: 400,
    message:
      'The request is not valid HTTP/1.1. Send one Host header and at most 16 KiB of headers.',
  },
  unauthorized: {
    status: 401,
    message: 'The API key is missing or not valid. Send a current key in the header X-PoH-API-Key.',
    headers: { 'WWW-Authenticate': 'ApiKey realm="poh-attestations", header="X-PoH-API-Key"' },
  },
  email_not_found: {
    status: 404,
    message:
      'No wallet is known for this e-mail address. Check it, or ask the user for a wallet or token.',
  },
  token_not_found: {
    status: 404,
    message: 'This verification token is not valid. Ask the user to generate a new one.',
  },
  not_found: {
    status: 404,
    message: 'This path does not exist. Call /pohAttestationsEndpoint, followed only by the query.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This method is not allowed. Use GET or HEAD.',
    headers: { Allow: 'GET, HEAD' },
  },
  internal: {
    status: 500,
    message:
      'The lookup failed on our side. Try again, and report the requestId if it fails again.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

const isErrorCode = (name: string): name is ErrorCode => Object.hasOwn(ERRORS, name);
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(ERRORS).filter(isErrorCode);

/** The body of every response except a 200. */
export interface ErrorBody {
  readonly error: string;
  readonly code: ErrorCode;
  readonly requestId: string;
}

/** The row of `ERRORS` for a code, with its optional headers visible to the type checker. */
export const errorRow = (code: ErrorCode): ErrorRow => ERRORS[code];

/** The only error whose code reaches a client. Any other error becomes `internal`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(ERRORS[code].message);
    this.code = code;
  }
}
