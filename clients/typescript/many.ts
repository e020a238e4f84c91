// Many lookups at once, which wait together when the service asks one of them to.

import { type PohError, SubjectRefused, Unavailable } from './errors.ts';
import type { Evidence } from './evidence.ts';
import { type Options, parseNumber, type Subject } from './parameters.ts';
import type { LookupWithEvidence } from './response.ts';
import type { LookupResult } from './result.ts';
import { Gate } from './waits.ts';

export interface ManyOptions extends Options {
  /** The number of lookups at once, 16 by default. */
  atOnce?: number | undefined;
  /**
   * The milliseconds that the service may ask to wait, at once or without a response in between, an hour by default. They
   * take no time of a lookup.
   */
  maxWait?: number | undefined;
}

type Outcome =
  | { result: LookupResult; error?: undefined }
  | { result?: undefined; error: PohError | TypeError };

/** One of many lookups, with its result or its error, which is a TypeError if the subject is not one. */
export type Found<S extends Subject = Subject> = {
  subject: S;
  /** The number of subjects before it. */
  index: number;
  /** The number of lookups that are finished, with this one. */
  done: number;
  /** The number of subjects; undefined for a generator. */
  total: number | undefined;
  /** Proves the result, or the refusal; undefined if the operator does not sign its responses. */
  evidence: Evidence | undefined;
} & Outcome;

type Ended = { evidence: Evidence | undefined } & Outcome;
type Event<S> = { step: IteratorResult<S> } | ({ subject: S; index: number } & Ended);

/** After so many lookups in a row without an answer, the service is down. */
const FAILURES_MAX = 50;

/** @throws Refused if the service would refuse the others too, and Unavailable if it is down */
export async function* lookUpMany<S extends Subject>(
  subjects: Iterable<S> | AsyncIterable<S>,
  { atOnce = 16, maxWait = 3_600_000, signal }: ManyOptions,
  lookUp: (subject: S, signal: AbortSignal, gate: Gate) => Promise<LookupWithEvidence>,
): AsyncGenerator<Found<S>> {
  parseNumber('atOnce', atOnce, 1);
  const gate = new Gate(parseNumber('maxWait', maxWait, 0));
  const { length, size }: Record<string, number | undefined> = Object(subjects);
  const queue =
    Symbol.asyncIterator in subjects
      ? subjects[Symbol.asyncIterator]()
      : subjects[Symbol.iterator]();
  const pull = async () => ({ step: await queue.next() });
  const inFlight = new InFlight<S>();
  const stop = (): void => inFlight.stop(signal?.reason);
  signal?.addEventListener('abort', stop);
  let [started, done, failed] = [0, 0, 0];
  let [isPulling, isAtEnd] = [false, false];
  try {
    while (!isAtEnd || inFlight.size > 0) {
      signal?.throwIfAborted();
      if (!isAtEnd && !isPulling && inFlight.size < atOnce) {
        isPulling = true;
        inFlight.add(pull());
      }
      const event = await inFlight.next();
      if (!event) continue;
      if ('step' in event) {
        isPulling = false;
        const { value: subject, done: isDone } = event.step;
        if (isDone) isAtEnd = true;
        else inFlight.start(subject, started++, (stopped) => lookUp(subject, stopped, gate));
        continue;
      }
      done += 1;
      yield { ...event, done, total: length ?? size };
      signal?.throwIfAborted();
      // A subject that was never asked about says nothing of the service.
      if (event.error instanceof TypeError) continue;
      failed = event.error instanceof Unavailable ? failed + 1 : 0;
      if (event.error instanceof Unavailable) throwIfDown(event.error, failed);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
    // Not awaited, because a generator that waits for its source would never end.
    void queue.return?.();
  }
}

/** @throws Unavailable if other lookups would fail too, or would wait for too long */
function throwIfDown(error: Unavailable, failures: number): void {
  // A shorter wait is no failure.
  const isLong = (error.retryAfter ?? 0) > 0;
  if (failures < FAILURES_MAX && !isLong) return;
  const why = isLong ? 'asked for too long a wait' : `failed ${failures} times in a row`;
  const text = `The service ${why}, so the other lookups were not made. ${error.message}`;
  const Type = error.constructor as typeof Unavailable;
  throw new Type(text, error);
}

/** The lookups in flight, and the step to the next subject. */
class InFlight<S> {
  readonly #running = new Set<AbortController>();
  /** Those that have ended. To race all would take longer with each that is in flight. */
  readonly #ended: { event: Promise<Event<S>>; stop: AbortController | undefined }[] = [];
  #wake = (): void => undefined;

  /** The number of lookups. */
  get size(): number {
    return this.#running.size;
  }

  start(subject: S, index: number, lookUp: (signal: AbortSignal) => Promise<Ended>): void {
    // Each lookup has its own signal, because Node 20 warns about many listeners on one.
    const stop = new AbortController();
    this.#running.add(stop);
    const outcome = lookUp(stop.signal).catch(outcomeOf);
    this.add(
      outcome.then((ended) => ({ ...ended, subject, index })),
      stop,
    );
  }

  add(event: Promise<Event<S>>, stop?: AbortController): void {
    const end = (): void => {
      this.#ended.push({ event, stop });
      this.#wake();
    };
    event.then(end, end);
  }

  /** @returns what has ended first; undefined if all were stopped @throws what is not about one subject */
  async next(): Promise<Event<S> | undefined> {
    if (this.#ended.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const first = this.#ended.shift();
    if (first?.stop) this.#running.delete(first.stop);
    return await first?.event;
  }

  stop(reason: unknown): void {
    for (const each of this.#running) each.abort(reason);
    this.#wake();
  }
}

/** @throws what is not about one subject */
function outcomeOf(error: unknown): Ended {
  if (error instanceof SubjectRefused) return { error, evidence: error.evidence };
  if (error instanceof Unavailable || error instanceof TypeError)
    return { error, evidence: undefined };
  throw error;
}
