// Every time limit of the function, shortest first within each group. All in milliseconds unless the name says otherwise.

// A request. Each limit leaves room for the next one, so that the innermost failure is the one that is logged.

/** A call to Google that has received nothing for this long is also tried on a new connection. */
export const SILENCE_MS = 2_500;
/** How often that is checked. */
export const SILENCE_CHECK_MS = 250;
/** Getting an access token, retries included: shorter than the call that needs it. */
export const TOKEN_LIMIT_MS = 7_500;
/** A call to Google, retries included: shorter than the request that needs it. */
export const CALL_LIMIT_MS = 8_500;
/** A request. Callers are promised 10 s. */
export const REQUEST_LIMIT_MS = 9_000;
/** Shutdown. Longer than a request; the platform kills the process after 10 s. */
export const SHUTDOWN_LIMIT_MS = 9_500;
/** The platform's own time-out sends a response without our JSON, so it must come last. */
export const PLATFORM_TIMEOUT_SECONDS = 30;

// Retries of calls to Google. Each pause is varied by a fifth, so that calls do not come back together.

export const FIRST_PAUSE_MS = 100;
export const PAUSE_GROWTH = 2.5;
/** Short, because callers are promised that lookups succeed within 3 s of an outage's end. */
export const PAUSE_MAX_MS = 1_000;

// Access tokens.

/** A token this close to its expiry could expire on its way. */
export const TOKEN_USABLE_MS = 10_000;
/** From here on a new token is fetched: the metadata server returns the old one before. */
export const TOKEN_REFRESH_MS = 5 * 60_000;

// Connections of callers.

/** How often a shutdown checks for connections that became idle. */
export const SHUTDOWN_CHECK_MS = 25;
/** At shutdown: for a request whose first bytes have arrived. After a refusal: for the caller to read it. */
export const LINGER_MS = 1_000;
/** How long a caller may read nothing of its response. Node notices within twice this time. */
export const STALLED_MS = 3_000;

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Settles as `work` does, or rejects after `ms` milliseconds; the outcome of `work` is then dropped.
 *
 * @throws DeadlineError
 */
export async function withinDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`no response within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
