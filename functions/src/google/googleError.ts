// The errors of calls to Google. Messages are our own and details are codes. Neither repeats a
// request or response, so both may be logged.

/**
 * The HTTP status, Google's `error.status` (such as UNAVAILABLE), and its `error.message` if that is
 * a code.
 */
interface Details {
  readonly httpStatus?: number | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

export class GoogleError extends Error {
  override readonly name: string = 'GoogleError';
  readonly details: Details;

  constructor(message: string, details: Details = {}, cause?: unknown) {
    super(message, { cause });
    this.details = details;
  }
}

/** The response is invalid, or does not match the request. */
export class UnusableResponse extends GoogleError {
  override readonly name = 'UnusableResponse';
}

/** @param text the body, whose JSON may contain an error like `{"code": 503, "status": "UNAVAILABLE", …}` */
export function toGoogleError(httpStatus: number | undefined, text: string): GoogleError {
  const status = /"status"\s*:\s*"([A-Z_]{1,40})"/.exec(text)?.[1];
  const reason = /"message"\s*:\s*"([A-Z_]{1,40})"/.exec(text)?.[1];
  return new GoogleError('Google responded with an error', { httpStatus, status, reason });
}
