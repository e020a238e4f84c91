// A fault of soak/network.ts: how it is prepared, begun and ended.

import type { GoogleCloud } from '../doubles/googleCloud.ts';
import type { ServedFunction } from '../sandbox/servedFunction.ts';

export interface Deployed {
  readonly google: GoogleCloud;
  readonly served: ServedFunction;
}

export interface Fault {
  readonly name: string;
  readonly seconds: number;
  /** Before the function starts. @returns what is added to its environment */
  readonly prepare?: (
    google: GoogleCloud,
  ) => Record<string, string> | Promise<Record<string, string>>;
  /** @returns what ends the fault */
  readonly begin: (deployed: Deployed) => () => void;
  /** Whether a lookup that begins during the fault may fail. */
  readonly mayFail: boolean;
  /** Nothing is looked up meanwhile. */
  readonly isIdle?: boolean;
}
