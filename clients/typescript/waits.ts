// When a request may be sent: after a pause, and after the time for which the service asked many lookups to wait.

export const abortOf = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve));

/** Runs work with a signal, which is aborted after a time or by the caller. @throws the reason of the caller's signal */
export async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // Not AbortSignal.any, because Node 20 keeps each result of it for as long as the caller's signal.
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  signal?.addEventListener('abort', abort);
  // A timer with a longer delay would end immediately.
  const timer = setTimeout(abort, Math.min(ms, 2 ** 31 - 1));
  try {
    return await work(stop.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    signal?.throwIfAborted();
  }
}

/** Lets the requests of many lookups through. After the service asked one to wait, it lets through one, then 2, 4, … */
export class Gate {
  readonly #maxWait: number;
  /** The milliseconds of all waits since the last response that asked for none. */
  #waited = 0;
  #opensAt = 0;
  #width = Number.POSITIVE_INFINITY;
  #inFlight = 0;
  #waiting: (() => void)[] = [];

  /** @param maxWait the milliseconds that the service may ask to wait, at once or without a response in between */
  constructor(maxWait: number) {
    this.#maxWait = maxWait;
  }

  /** Whether the wait for which a response has asked is no failure. */
  get isWorthWaiting(): boolean {
    return this.#waited <= this.#maxWait;
  }

  /** Sends a request as soon as it may be sent. @throws the signal's reason */
  async pass<T extends object>(
    signal: AbortSignal | undefined,
    send: () => Promise<T & { retryAfter?: number | undefined }>,
  ): Promise<T> {
    for (;;) {
      const wait = this.#opensAt - performance.now();
      if (wait <= 0 && this.#inFlight < this.#width) break;
      const ms = wait > 0 ? wait : Number.POSITIVE_INFINITY;
      const left = new Promise<void>((resolve) => this.#waiting.push(resolve));
      await within(ms, signal, (stop) => Promise.race([abortOf(stop), left]));
    }
    this.#inFlight += 1;
    let seconds: number | undefined;
    try {
      const outcome = await send();
      seconds = outcome.retryAfter;
      return outcome;
    } finally {
      this.#leave(seconds);
    }
  }

  #leave(seconds = 0): void {
    this.#inFlight -= 1;
    if (seconds > 0) {
      this.#width = 1;
      const now = performance.now();
      const earlier = Math.max(this.#opensAt, now);
      this.#opensAt = Math.max(earlier, now + seconds * 1000);
      this.#waited += this.#opensAt - earlier;
    } else {
      this.#waited = 0;
      if (performance.now() >= this.#opensAt) this.#width += 1;
    }
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
