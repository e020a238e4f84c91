// How calls to Google fail. Messages are ours and details are codes: neither repeats a request or response, so both may be logged.

/** HTTP's status; Google's `error.status`, such as UNAVAILABLE; its `error.message` where that is a code. */
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

/** The response is not valid, or does not answer what was asked. */
export class UnusableResponse extends GoogleError {
  override readonly name = 'UnusableResponse';
}

/** @param text the body, whose JSON may have an error `{"code": 503, "status": "UNAVAILABLE", …}` in it */
export function toGoogleError(httpStatus: number | undefined, text: string): GoogleError {
  const status = /"status"\s*:\s*"([A-Z_]{1,40})"/.exec(text)?.[1];
  const reason = /"message"\s*:\s*"([A-Z_]{1,40})"/.exec(text)?.[1];
  return new GoogleError('Google responded with an error', { httpStatus, status, reason });
}
