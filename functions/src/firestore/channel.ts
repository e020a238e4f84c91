// Settings of the channel to Firestore: deadlines, retries, silence, keepalive and reconnection.

import type { ChannelOptions } from '@grpc/grpc-js';

/** A read ends before its request does. */
export const READ_TIMEOUT_MS = 8_500;

/**
 * A client that receives nothing for 2.5 seconds while calls are in flight is replaced: its peer
 * accepts and never responds, or its packets are lost. gRPC itself sets no limit on connecting.
 */
export const SILENCE_CHECK_MS = 250;
export const SILENT_CHECKS_MAX = 10;

/**
 * One call whose response has not begun after 4 seconds, while others succeed, is made again
 * once: Node loses a call that it has not sent yet when the peer takes no more of them (GOAWAY).
 */
export const LOST_CHECKS = 16;

/** The pauses before retries, each varied by a fifth: 0.1 s, 0.25 s, 0.63 s, then 1 s each. */
export const FIRST_PAUSE_MS = 100;
export const PAUSE_GROWTH = 2.5;
export const PAUSE_MAX_MS = 1_000;

/** The statuses that Google's own clients retry for reads, and CANCELLED: reset by the peer. */
export const RETRYABLE = [
  'UNAVAILABLE',
  'INTERNAL',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
  'CANCELLED',
] as const;

/** Unset, a channel that lost its server waits up to two minutes before it reconnects. */
const RECONNECT_MAX_MS = 1_000;
/** Unset, a name whose address refuses connections is resolved again after 30 seconds. */
const RESOLVE_AGAIN_MS = 1_000;
/** As in Google's own clients. Its front ends close a connection that pings much more often. */
const KEEPALIVE_TIME_MS = 30_000;
/** As in Google's own clients. */
const NO_LIMIT = -1;

/**
 * The bytes that may be in flight on a connection. Unset, it is 64 KiB for each round trip, shared by
 * all reads: 40 wallets with 1,000 attestations at once then take twice as long over 2 ms.
 */
const FLOW_CONTROL_WINDOW_BYTES = 1024 ** 2;

export const channelOptions: ChannelOptions = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': RECONNECT_MAX_MS,
  'grpc.dns_min_time_between_resolutions_ms': RESOLVE_AGAIN_MS,
  'grpc.keepalive_time_ms': KEEPALIVE_TIME_MS,
  'grpc.max_receive_message_length': NO_LIMIT,
  // Unset, a new client would share the connection of the one that it replaces.
  'grpc.use_local_subchannel_pool': 1,
  // Unset, each connection queries the DNS for a service config.
  'grpc.service_config_disable_resolution': 1,
  'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW_BYTES,
};
