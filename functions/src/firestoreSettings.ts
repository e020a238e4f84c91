// Owns how long Firestore may take and how fast its client comes back after an outage.

import type { Settings } from '@google-cloud/firestore';

/** A read ends before its request does; unset, one may go on for five minutes. */
const READ_TIMEOUT_MS = 8_500;
/** Unset, a channel that lost its server waits up to two minutes before it tries again. */
const RECONNECT_MAX_MS = 1_000;
/**
 * A connection that has gone silent (its server frozen, its packets dropped) is replaced: a read
 * that is under way for this long asks for a sign of life, and waits so long for it.
 */
const SILENCE_MS = 3_000;
const SIGN_OF_LIFE_MS = 2_000;

export const firestoreSettings: Settings = {
  // A channel carries 100 reads at once, and 80 requests make two each: both channels are kept.
  maxIdleChannels: 2,
  clientConfig: {
    interfaces: {
      'google.firestore.v1.Firestore': {
        methods: {
          BatchGetDocuments: { timeout_millis: READ_TIMEOUT_MS },
          RunQuery: { timeout_millis: READ_TIMEOUT_MS },
        },
      },
    },
  },
  grpcOptions: {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MAX_MS,
    'grpc.keepalive_time_ms': SILENCE_MS,
    'grpc.keepalive_timeout_ms': SIGN_OF_LIFE_MS,
  },
};
