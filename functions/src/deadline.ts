// Limits the time of a request. The platform's own time-out responds without our JSON.

/** No request takes longer than this; the promise to callers is 10 seconds. */
export const REQUEST_DEADLINE_MS = 9_000;

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Settles as `work` does, or rejects after `ms` milliseconds; `work` is then left to its own
 * time-outs and its outcome is dropped.
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
