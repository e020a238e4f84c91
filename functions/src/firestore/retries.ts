// A call to Firestore and its retries, until one response arrives whole or the deadline passes.

import { type ClientReadableStream, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { FIRST_PAUSE_MS, PAUSE_GROWTH, PAUSE_MAX_MS, RETRYABLE } from './channel.ts';
import type { CurrentClient } from './client.ts';
import type { FirestoreMethod } from './messages.ts';

export interface FirestoreCall<Request, Message> {
  readonly method: FirestoreMethod<Request, Message>;
  readonly request: Request;
  readonly metadata: Metadata;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Takes the messages of one response, and returns the result of the read. */
export interface ResponseReader<Message, Result> {
  readonly onMessage: (message: Message) => void;
  readonly result: () => Result;
}

/**
 * Makes a call. It is retried after a pause when it fails, at any point of its response, with a
 * transient status; and at once with another client when its own has gone silent. The silent one
 * may still deliver the response first: a slow one is not lost.
 *
 * @param newReader makes the reader of each attempt's response
 * @returns what the first whole response was read as
 * @throws ServiceError gRPC's status, when it is not transient or the deadline comes first
 */
export function callWithRetries<Request, Message, Result>(
  currentClient: CurrentClient,
  { method, request, metadata, deadline }: FirestoreCall<Request, Message>,
  newReader: () => ResponseReader<Message, Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const inFlight = new Set<ClientReadableStream<Message>>();
    let latest: ClientReadableStream<Message>;
    let isSettled = false;
    let pauseMs = FIRST_PAUSE_MS;

    const settle = (how: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      try {
        how();
      } catch (error) {
        reject(error);
      }
      for (const stream of inFlight) stream.cancel();
    };
    const fail = (error: unknown): void => settle(() => reject(error));

    const attempt = (): void => {
      if (isSettled) return;
      const client = currentClient.get();
      const reader = newReader();
      const { path, serialize, deserialize } = method;
      const stream = client.grpc.makeServerStreamRequest(
        path,
        serialize,
        deserialize,
        request,
        metadata,
        { deadline },
      );
      latest = stream;
      inFlight.add(stream);
      const watched = client.begin(attempt);
      /** @returns false when the attempt had already ended */
      const end = (): boolean => {
        if (!inFlight.delete(stream)) return false;
        client.end(watched);
        return true;
      };
      stream.on('metadata', () => {
        watched.hasBegun = true;
        client.onReceived();
      });
      // By event: iterating would make promises for each message.
      stream.on('data', (message: Message) => {
        client.onReceived();
        if (isSettled) return;
        try {
          reader.onMessage(message);
        } catch (error) {
          fail(error);
        }
      });
      stream.on('end', () => {
        if (end()) settle(() => resolve(reader.result()));
      });
      stream.on('error', (error: ServiceError) => {
        if (!end() || isSettled) return;
        client.onReceived();
        const isTransient = isRetryable(error);
        // One that went silent has a later attempt in its place.
        if (isTransient && stream !== latest) return;
        if (!isTransient || Date.now() + pauseMs >= deadline) {
          fail(error);
          return;
        }
        setTimeout(attempt, pauseMs * jitter());
        pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS);
      });
    };
    attempt();
  });
}

const isRetryable = ({ code }: ServiceError): boolean =>
  RETRYABLE.some((name) => status[name] === code);

/** Reads that failed together do not all come back together. */
const jitter = (): number => 0.8 + 0.4 * Math.random();
