// The channel to Firestore: deadlines, retries, keepalive and reconnection.

import type { ChannelOptions } from '@grpc/grpc-js';

/** A read ends before its request does. */
export const READ_TIMEOUT_MS = 8_500;
/** Unset, a channel that lost its server waits up to two minutes before it reconnects. */
const RECONNECT_MAX_MS = 1_000;
/**
 * A connection that has gone silent (its server frozen, its packets dropped) is replaced: while
 * reads are in flight it is pinged this often, and given this long to acknowledge.
 */
const KEEPALIVE_TIME_MS = 3_000;
const KEEPALIVE_TIMEOUT_MS = 2_000;

/**
 * The bytes that may be in flight on a connection. Unset, it is 64 KiB for each round trip, shared by
 * all reads: 40 wallets with 1,000 attestations at once then take twice as long over 2 ms.
 */
const FLOW_CONTROL_WINDOW_BYTES = 1024 ** 2;

/** The statuses that Google's own clients retry. */
export const RETRYABLE = ['UNAVAILABLE', 'INTERNAL'] as const;

/** Applies until a response begins; together the pauses outlast a reconnection. */
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
  'grpc.keepalive_time_ms': KEEPALIVE_TIME_MS,
  'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
  'grpc.service_config': JSON.stringify({
    methodConfig: [{ name: [{ service: 'google.firestore.v1.Firestore' }], retryPolicy }],
  }),
  // The policy above is all; unset, each connection asks the DNS for another one.
  'grpc.service_config_disable_resolution': 1,
  'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW_BYTES,
};
