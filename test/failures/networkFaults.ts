// Faults that last: what each does to a deployed function's way to Google, and for how long.

import * as faults from '../../doubles/callFaults.ts';
import type { GoogleCloud, NetworkedService } from '../../doubles/googleCloud.ts';
import { createNameServer } from '../../doubles/nameServer.ts';
import { Relay } from '../../doubles/relay.ts';
import type { Fault as CallFault } from '../../doubles/standIn.ts';
import type { Deployed } from './steadyStream.ts';

export interface LastingFault {
  readonly name: string;
  readonly seconds: number;
  /** Whether a lookup that begins during the fault may fail: a call is given up after 8.5 seconds. */
  readonly mayFail: boolean;
  /** Lookups by e-mail address, where Authentication is what fails. */
  readonly byEmail?: boolean;
  /** Before the function starts. @returns what is added to its environment */
  readonly prepare?: (google: GoogleCloud) => Promise<Record<string, string>>;
  /** @returns what ends the fault */
  readonly begin: (deployed: Deployed) => (() => unknown) | Promise<() => unknown>;
  readonly cleanUp?: () => void;
}

/** An outage of this length is outlasted: a silent call is tried again after 2.5, 5 and 7.5 seconds. */
const OUTLASTED_SECONDS = 3;
/** Longer than a request may take. */
const NOTICED_SECONDS = 11;
const AGAIN_MS = 200;

type Service = 'firestore' | 'accounts';

interface Outage {
  readonly name: string;
  readonly begin: (target: NetworkedService) => unknown;
  readonly end: (target: NetworkedService) => unknown;
}

const outage = (
  { name, begin, end }: Outage,
  seconds = OUTLASTED_SECONDS,
  service: Service = 'firestore',
): LastingFault => ({
  name: `${service}: ${name}`,
  seconds,
  mayFail: seconds > OUTLASTED_SECONDS,
  byEmail: service === 'accounts',
  async begin({ google }) {
    await begin(google[service]);
    return () => end(google[service]);
  },
});

const deliver = ({ network }: NetworkedService): void => network.route('delivered');

const LOST: Outage = {
  name: 'everything is lost',
  begin({ network }) {
    network.route('silent');
    network.lose();
  },
  end: deliver,
};

const HELD: Outage = {
  name: 'everything is lost, and sent again by TCP',
  begin: ({ network }) => network.freeze(),
  end: ({ network }) => network.thaw(),
};

const SILENT: Outage = {
  name: 'connections are accepted and never spoken to',
  begin({ network }) {
    network.route('silent');
    network.reset();
  },
  end: deliver,
};

const REFUSED: Outage = {
  name: 'connections are refused',
  begin: ({ network }) => network.refuse(),
  end: ({ network }) => network.restore(),
};

const RESET: Outage = {
  name: 'connections are reset in TLS',
  begin({ network }) {
    network.route('reset');
    network.reset();
  },
  end: deliver,
};

/** All calls get the fault. */
const calls = (name: string, fault: CallFault): Outage => ({
  name: `calls are ${name}`,
  begin: ({ service }) => METHODS.map((method) => service.failAll(method, fault)),
  end: ({ service }) => METHODS.map((method) => service.failAll(method, undefined)),
});
const METHODS = ['batchGet', 'runQuery', 'lookup'];

/** Happens again and again; calls that it does not hit succeed. */
const repeated = (name: string, happen: (target: NetworkedService) => unknown): Outage => {
  let timer: NodeJS.Timeout;
  return {
    name,
    begin(target) {
      timer = setInterval(() => happen(target), AGAIN_MS);
    },
    end: () => clearInterval(timer),
  };
};

const FORGOTTEN: LastingFault = {
  name: 'firestore: the network forgets the connections',
  seconds: 0,
  mayFail: false,
  begin({ google: { firestore } }) {
    firestore.network.lose();
    return () => undefined;
  },
};

const FROZEN: LastingFault = {
  name: 'the function is frozen, its connections lost',
  seconds: OUTLASTED_SECONDS,
  mayFail: false,
  begin({ google, served }) {
    served.process.kill('SIGSTOP');
    for (const { network } of [google.firestore, google.accounts]) network.lose();
    return () => served.process.kill('SIGCONT');
  },
};

/** A lookup by token has one query, after the reads that decide about it. */
const SLOW: LastingFault = {
  name: 'firestore: responses of queries begin after 7 s',
  seconds: 45,
  mayFail: false,
  begin({ google: { firestore } }) {
    firestore.service.failAll('runQuery', faults.delayed(7_000));
    return () => firestore.service.failAll('runQuery', undefined);
  },
};

const NEW_ADDRESS = '127.0.0.2';

/** The address refuses, and the name moves to another one, where connections are relayed to the same place. */
function movedName(): LastingFault {
  let moveName: () => void;
  let close: () => void;
  return {
    name: 'firestore: connections are refused, then the name moves',
    seconds: OUTLASTED_SECONDS,
    mayFail: false,
    async prepare({ firestore: { network } }) {
      const names = await createNameServer('127.0.0.1');
      const moved = await Relay.to(network.target, NEW_ADDRESS, network.port);
      moveName = () => names.setAddress(NEW_ADDRESS);
      close = () => {
        names.close();
        void moved.close();
      };
      return { NAME_SERVER: names.host };
    },
    begin: async ({ google: { firestore } }) => {
      await firestore.network.refuse();
      return () => moveName();
    },
    cleanUp: () => close(),
  };
}

export const FAULTS: readonly LastingFault[] = [
  outage(LOST, NOTICED_SECONDS),
  outage(calls('unanswered', faults.unanswered), NOTICED_SECONDS),
  outage(LOST, NOTICED_SECONDS, 'accounts'),
  outage(LOST, 2),
  outage(SILENT),
  outage(REFUSED),
  outage(calls('refused with 503', faults.refuse(503))),
  outage(repeated('connections are reset all the time', ({ network }) => network.reset())),
  outage(repeated('idle connections are closed', ({ closeIdle }) => closeIdle())),
  FORGOTTEN,
  FROZEN,
  movedName(),
];

/** Variants of those, and what takes longer. */
export const LONG_FAULTS: readonly LastingFault[] = [
  outage(LOST),
  outage(LOST, 15),
  outage(LOST, 20),
  outage(LOST, 45),
  outage(LOST, 90),
  outage(LOST, 45, 'accounts'),
  outage(HELD),
  outage(HELD, 20),
  outage(SILENT, NOTICED_SECONDS),
  outage(SILENT, 45),
  outage(REFUSED, NOTICED_SECONDS),
  outage(REFUSED, 45),
  outage(REFUSED, OUTLASTED_SECONDS, 'accounts'),
  outage(RESET),
  outage(RESET, 45),
  outage(
    repeated('connections are ended all the time', ({ network }) => network.end()),
    45,
  ),
  outage(calls('cut in the body', faults.cutOff(false))),
  outage(calls('refused with 500', faults.refuse(500, 'INTERNAL')), NOTICED_SECONDS),
  outage(calls('refused with 429', faults.refuse(429, 'RESOURCE_EXHAUSTED')), 45),
  outage(calls('unanswered', faults.unanswered)),
  outage(calls('unanswered', faults.unanswered), 45),
  SLOW,
];
