// The gRPC client in use, and its replacement when it goes silent.

import { Client } from '@grpc/grpc-js';
import { channelOptions, SILENCE_CHECK_MS, SILENT_CHECKS_MAX } from './channel.ts';
import { type Peer, TrackedCredentials } from './trackedCredentials.ts';

/** The client that new calls are made with: a new one after each that went silent. */
export class CurrentClient {
  readonly #peer: Peer;
  #client: WatchedClient | undefined;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  get(): WatchedClient {
    this.#client ??= new WatchedClient(this.#peer, () => {
      this.#client = undefined;
    });
    return this.#client;
  }
}

/**
 * A client that notifies its calls when it has received nothing for too long. It then gets no new
 * calls; once those in flight have ended, its connections are closed.
 */
export class WatchedClient {
  readonly grpc: Client;
  readonly #credentials: TrackedCredentials;
  readonly #replace: () => void;
  /** One for each call in flight. */
  readonly #onSilence = new Set<() => void>();
  #check: NodeJS.Timeout | undefined;
  #silentChecks = 0;
  #isReplaced = false;

  constructor({ target, credentials }: Peer, replace: () => void) {
    this.#credentials = new TrackedCredentials(credentials);
    this.grpc = new Client(target, this.#credentials, channelOptions);
    this.#replace = replace;
  }

  /** A call begins. @param onSilence called when the client has gone silent */
  begin(onSilence: () => void): void {
    this.#onSilence.add(onSilence);
    if (this.#check || this.#isReplaced) return;
    this.#silentChecks = 0;
    this.#check = setInterval(() => this.#checkSilence(), SILENCE_CHECK_MS);
  }

  /** Something has arrived, for any call. */
  readonly onReceived = (): void => {
    this.#silentChecks = 0;
  };

  /** A call has ended. */
  end(onSilence: () => void): void {
    this.#onSilence.delete(onSilence);
    if (this.#onSilence.size > 0) return;
    this.#stopChecking();
    if (this.#isReplaced) this.#credentials.destroySockets();
  }

  /**
   * Checks are counted, not milliseconds: what arrived while the process was busy or frozen is
   * received between two checks, however late they run.
   */
  #checkSilence(): void {
    this.#silentChecks += 1;
    if (this.#silentChecks < SILENT_CHECKS_MAX) return;
    this.#stopChecking();
    this.#isReplaced = true;
    this.#replace();
    for (const onSilence of [...this.#onSilence]) onSilence();
    // Ends the calls that wait for a connection; those that were sent may still get their response.
    this.grpc.close();
  }

  #stopChecking(): void {
    clearInterval(this.#check);
    this.#check = undefined;
  }
}
