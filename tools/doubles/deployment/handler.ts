import type { Call, Reply } from './proxy.ts';
import type { Store } from './store.ts';

/** Handles a request that is not for a resource of the store. @param match the match of its method and address */
export type Handler = (call: Call, match: RegExpExecArray, store: Store) => Reply;
