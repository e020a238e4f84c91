// The gRPC client in use, and its replacement when it goes silent.

import { Client } from '@grpc/grpc-js';
import { channelOptions, LOST_CHECKS, SILENCE_CHECK_MS, SILENT_CHECKS_MAX } from './channel.ts';
import { type Peer, TrackedCredentials } from './trackedCredentials.ts';

/** A call in flight. */
export interface WatchedCall {
  hasBegun: boolean;
  checks: number;
  /** Called when its response is no longer to be expected: once for itself, once for its client. */
  readonly onSilence: () => void;
}

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
  readonly #inFlight = new Set<WatchedCall>();
  #check: NodeJS.Timeout | undefined;
  #silentChecks = 0;
  #isReplaced = false;

  constructor({ target, credentials }: Peer, replace: () => void) {
    this.#credentials = new TrackedCredentials(credentials);
    this.grpc = new Client(target, this.#credentials, channelOptions);
    this.#replace = replace;
  }

  /** Connects without a call. */
  connect(): void {
    this.grpc.getChannel().getConnectivityState(true);
  }

  /** A call begins. @param onSilence called when its response is no longer to be expected */
  begin(onSilence: () => void): WatchedCall {
    const call = { hasBegun: false, checks: 0, onSilence };
    this.#inFlight.add(call);
    if (this.#check) return call;
    this.#silentChecks = 0;
    this.#check = setInterval(() => this.#checkSilence(), SILENCE_CHECK_MS);
    return call;
  }

  /** Something has arrived, for any call. */
  readonly onReceived = (): void => {
    this.#silentChecks = 0;
  };

  /** A call has ended. */
  end(call: WatchedCall): void {
    this.#inFlight.delete(call);
    if (this.#inFlight.size > 0) return;
    this.#stopChecking();
    if (this.#isReplaced) this.#credentials.destroySockets();
  }

  /**
   * Checks are counted, not milliseconds: what arrived while the process was busy or frozen is
   * received between two checks, however late they run.
   */
  #checkSilence(): void {
    this.#silentChecks += 1;
    if (this.#silentChecks >= SILENT_CHECKS_MAX) {
      this.#giveUp();
      return;
    }
    for (const call of [...this.#inFlight]) {
      call.checks += 1;
      if (call.checks === LOST_CHECKS && !call.hasBegun) call.onSilence();
    }
  }

  #giveUp(): void {
    this.#stopChecking();
    this.#isReplaced = true;
    this.#replace();
    for (const { onSilence } of [...this.#inFlight]) onSilence();
    // Ends the calls that wait for a connection; those that were sent may still get their response.
    this.grpc.close();
  }

  #stopChecking(): void {
    clearInterval(this.#check);
    this.#check = undefined;
  }
}
