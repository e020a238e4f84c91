// How calls to Google fail. Messages are ours and details are codes: neither repeats a request or response, so both may be logged.

export class GoogleError extends Error {
  override readonly name: string = 'GoogleError';
  /** HTTP's status; Google's `error.status`, such as UNAVAILABLE; its `error.message` where that is a code. */
  readonly details: { httpStatus?: number; status?: string; reason?: string };

  constructor(message: string, details: GoogleError['details'] = {}, cause?: unknown) {
    super(message, { cause });
    this.details = details;
  }
}

/** The response is not valid, or does not answer what was asked. */
export class UnusableResponse extends GoogleError {
  override readonly name = 'UnusableResponse';
}

/** @param error Google's `error`: `{"code": 503, "status": "UNAVAILABLE", …}`, or whatever was sent in its place */
export function toGoogleError(httpStatus: unknown, error: unknown): GoogleError {
  const { status, message } = Object(error);
  return new GoogleError('Google responded with an error', {
    ...(typeof httpStatus === 'number' && { httpStatus }),
    ...(isCode(status) && { status }),
    ...(isCode(message) && { reason: message }),
  });
}

const isCode = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Z_]{1,40}$/.test(text);
