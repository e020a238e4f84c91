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
type LookupEnd<S> = Ended & { stop: AbortController; subject: S; index: number };

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
  type Event = { step: IteratorResult<S> } | LookupEnd<S>;
  /** Those that have ended. To race all would take longer with each that is in flight. */
  const ended: Promise<Event>[] = [];
  let wake = (): void => undefined;
  const watch = (event: Promise<Event>): void => {
    const end = (): void => {
      ended.push(event);
      wake();
    };
    event.then(end, end);
  };
  const running = new Set<AbortController>();
  const start = (subject: S, index: number): void => {
    // Each lookup has its own signal, because Node 20 warns about many listeners on one.
    const stop = new AbortController();
    running.add(stop);
    const outcome: Promise<Ended> = lookUp(subject, stop.signal, gate).catch(outcomeOf);
    watch(outcome.then((end) => ({ ...end, stop, subject, index })));
  };
  const stopAll = (): void => {
    for (const stop of running) stop.abort(signal?.reason);
    wake();
  };
  signal?.addEventListener('abort', stopAll);
  let [started, done, failed] = [0, 0, 0];
  let [isPulling, isAtEnd] = [false, false];
  try {
    for (;;) {
      signal?.throwIfAborted();
      if (!isAtEnd && !isPulling && running.size < atOnce) {
        isPulling = true;
        watch(pull());
      }
      if (!isPulling && running.size === 0) return;
      const first = ended.shift();
      if (!first) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const event = await first;
      if ('step' in event) {
        isPulling = false;
        if (event.step.done) isAtEnd = true;
        else start(event.step.value, started++);
        continue;
      }
      const { stop, ...found } = event;
      running.delete(stop);
      done += 1;
      yield { ...found, done, total: length ?? size };
      signal?.throwIfAborted();
      const { error } = found;
      if (error instanceof TypeError) continue;
      failed = error instanceof Unavailable ? failed + 1 : 0;
      if (!(error instanceof Unavailable)) continue;
      // A shorter wait is no failure.
      const isLong = (error.retryAfter ?? 0) > 0;
      if (failed < FAILURES_MAX && !isLong) continue;
      const why = isLong ? 'asked for too long a wait' : `failed ${failed} times in a row`;
      const text = `The service ${why}, so the other lookups were not made. ${error.message}`;
      const Type = error.constructor as typeof Unavailable;
      throw new Type(text, error);
    }
  } finally {
    signal?.removeEventListener('abort', stopAll);
    stopAll();
    // Not awaited, because a generator that waits for its source would never end.
    void queue.return?.();
  }
}

/** @throws what is not about one subject */
function outcomeOf(error: unknown): Ended {
  if (error instanceof SubjectRefused) return { error, evidence: error.evidence };
  if (error instanceof Unavailable || error instanceof TypeError)
    return { error, evidence: undefined };
  throw error;
}
