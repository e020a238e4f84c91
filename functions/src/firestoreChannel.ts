// Owns how long Firestore may take, what is tried again, and how fast the way to it is found again.

import type { ChannelOptions } from '@grpc/grpc-js';

/** A read ends before its request does. */
export const READ_TIMEOUT_MS = 8_500;
/** Unset, a channel that lost its server waits up to two minutes before it tries again. */
const RECONNECT_MAX_MS = 1_000;
/**
 * A connection that has gone silent (its server frozen, its packets dropped) is replaced: while
 * reads are under way it is asked for a sign of life so often, and given so long for it.
 */
const SILENCE_MS = 3_000;
const SIGN_OF_LIFE_MS = 2_000;

/**
 * What may be under way on a connection. Unset, it is 64 KiB for each round trip, shared by all
 * reads: 40 wallets with 1,000 attestations at once then take twice as long over 2 ms.
 */
const UNDER_WAY_BYTES = 1024 ** 2;

/** The failures that Google's own clients try again. */
export const RETRYABLE = ['UNAVAILABLE', 'INTERNAL'] as const;

/** Holds until an answer begins; together the pauses outlast a reconnection. */
const retryPolicy = {
  maxAttempts: 5,
  initialBackoff: '0.1s',
  maxBackoff: '1s',
  backoffMultiplier: 2.5,
  retryableStatusCodes: RETRYABLE,
};

export const channelOptions: ChannelOptions = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': RECONNECT_MAX_MS,
  'grpc.keepalive_time_ms': SILENCE_MS,
  'grpc.keepalive_timeout_ms': SIGN_OF_LIFE_MS,
  'grpc.service_config': JSON.stringify({
    methodConfig: [{ name: [{ service: 'google.firestore.v1.Firestore' }], retryPolicy }],
  }),
  // The policy above is all; unset, each connection asks the DNS for another one.
  'grpc.service_config_disable_resolution': 1,
  'grpc-node.flow_control_window': UNDER_WAY_BYTES,
};
