// Lasting faults between a deployed function and Google.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as faults from '../../tools/doubles/callFaults.ts';
import type { GoogleCloud, NetworkedService } from '../../tools/doubles/googleCloud.ts';
import { createNameServer, type NameServer } from '../../tools/doubles/nameServer.ts';
import { Relay } from '../../tools/doubles/relay.ts';
import type { Fault as CallFault } from '../../tools/doubles/serviceDouble.ts';
import { WITH_MOUNTS } from '../../tools/sandbox/servedFunction.ts';
import type { Deployed } from './steadyStream.ts';

export interface LastingFault {
  readonly name: string;
  readonly seconds: number;
  /** Whether a lookup that begins during the fault may fail. It fails if a call has no response after 8.5 seconds. */
  readonly mayFail: boolean;
  /** Makes the lookups by e-mail address, because the fault is in Authentication. */
  readonly byEmail?: boolean;
  /** False if this machine cannot cause the fault. */
  readonly isPossible?: boolean;
  /** Called before the function starts. @returns variables to add to its environment */
  readonly prepare?: (google: GoogleCloud) => Promise<Record<string, string>>;
  /** Begins the fault. @returns a function that ends it */
  readonly begin: (deployed: Deployed) => (() => unknown) | Promise<() => unknown>;
  readonly cleanUp?: () => void;
}

/**
 * An outage of this length makes no lookup fail, because a silent call is retried after 2.5, 5 and 7.5
 * seconds.
 */
const TOLERATED_SECONDS = 3;
/** Longer than the time limit of a request. */
const EXCESSIVE_SECONDS = 10;
const REPEAT_EVERY_MS = 200;

type Service = 'firestore' | 'accounts';

interface Outage {
  readonly name: string;
  readonly begin: (target: NetworkedService) => unknown;
  readonly end: (target: NetworkedService) => unknown;
}

const outage = (
  { name, begin, end }: Outage,
  seconds = TOLERATED_SECONDS,
  service: Service = 'firestore',
): LastingFault => ({
  name: `${service}: ${name}`,
  seconds,
  mayFail: seconds > TOLERATED_SECONDS,
  byEmail: service === 'accounts',
  async begin({ google }) {
    await begin(google[service]);
    return () => end(google[service]);
  },
});

const deliver = ({ network }: NetworkedService): void => {
  network.isSilent = false;
};

const LOST: Outage = {
  name: 'all data is lost',
  begin({ network }) {
    network.isSilent = true;
    network.lose();
  },
  end: deliver,
};

const HELD: Outage = {
  name: 'all data is delayed, as if TCP had to send it again',
  begin: ({ network }) => network.freeze(),
  end: ({ network }) => network.thaw(),
};

const SILENT: Outage = {
  name: 'connections are accepted but get no data',
  begin({ network }) {
    network.isSilent = true;
    network.reset();
  },
  end: deliver,
};

const REFUSED: Outage = {
  name: 'connections are refused',
  begin: ({ network }) => network.refuse(),
  end: ({ network }) => network.restore(),
};

/** Applies the fault to all calls. */
const calls = (name: string, fault: CallFault): Outage => ({
  name: `calls are ${name}`,
  begin: ({ service }) => METHODS.map((method) => service.failAll(method, fault)),
  end: ({ service }) => METHODS.map((method) => service.failAll(method, undefined)),
});
const METHODS = ['batchGet', 'runQuery', 'lookup'];

/** Repeats an action every 200 ms. Calls between two actions succeed. */
const repeated = (name: string, act: (target: NetworkedService) => unknown): Outage => {
  let timer: NodeJS.Timeout;
  return {
    name,
    begin(target) {
      timer = setInterval(() => act(target), REPEAT_EVERY_MS);
    },
    end: () => clearInterval(timer),
  };
};

const FROZEN: LastingFault = {
  name: 'the function is frozen and its connections are lost',
  seconds: TOLERATED_SECONDS,
  mayFail: false,
  begin({ google, served }) {
    served.process.kill('SIGSTOP');
    for (const { network } of [google.firestore, google.accounts]) network.lose();
    return () => served.process.kill('SIGCONT');
  },
};

/** A lookup by token makes one query, after the reads of the key and the token. */
const SLOW: LastingFault = {
  name: 'firestore: queries get their responses after 7 s',
  seconds: 45,
  mayFail: false,
  begin({ google: { firestore } }) {
    firestore.service.failAll('runQuery', faults.delayed(7_000));
    return () => firestore.service.failAll('runQuery', undefined);
  },
};

const NEW_ADDRESS = '127.0.0.2';

/** Connections to the address are refused. Then the name resolves to another address of the same server. */
function changedAddress(): LastingFault {
  let changeAddress: () => void;
  let close: () => void;
  return {
    name: 'firestore: connections are refused, then the name gets another address',
    seconds: TOLERATED_SECONDS,
    mayFail: false,
    async prepare({ firestore: { network } }) {
      const names = await createNameServer('127.0.0.1');
      const secondRelay = await Relay.to(network.target, NEW_ADDRESS, network.port);
      changeAddress = () => {
        names.address = NEW_ADDRESS;
      };
      close = () => {
        names.close();
        void secondRelay.close();
      };
      return { NAME_SERVER: names.host };
    },
    begin: async ({ google: { firestore } }) => {
      await firestore.network.refuse();
      return () => changeAddress();
    },
    cleanUp: () => close(),
  };
}

/** The address of the silent name server. Name servers in resolv.conf are always on port 53. */
const NAME_SERVER = { address: '127.0.0.153', port: 53 };

/** Whether this machine allows another resolv.conf for one process, and a server on port 53. */
function canReplaceNames(): boolean {
  const [program = '', ...words] = WITH_MOUNTS;
  if (spawnSync(program, [...words, 'true']).status !== 0) return false;
  const firstPort = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  return process.getuid?.() === 0 || firstPort <= NAME_SERVER.port;
}

/** The connections are reset, and then the name server behind the real resolv.conf does not answer. */
function silentNames(): LastingFault {
  let names: NameServer;
  return {
    name: 'the name server is silent',
    isPossible: canReplaceNames(),
    // getaddrinfo repeats its query after 5 s, so its threads would be blocked for another 4 s.
    seconds: 6,
    mayFail: true,
    async prepare() {
      names = await createNameServer('127.0.0.1', NAME_SERVER);
      const file = join(mkdtempSync(join(tmpdir(), 'poh-names-')), 'resolv.conf');
      writeFileSync(file, `nameserver ${NAME_SERVER.address}\n`);
      return { RESOLV_CONF: file };
    },
    begin({ google: { firestore } }) {
      const { address } = names;
      names.address = undefined;
      firestore.network.reset();
      return () => {
        names.address = address;
      };
    },
    cleanUp: () => names.close(),
  };
}

export const FAULTS: readonly LastingFault[] = [
  outage(LOST, EXCESSIVE_SECONDS),
  outage(calls('unanswered', faults.unanswered), EXCESSIVE_SECONDS),
  outage(LOST, EXCESSIVE_SECONDS, 'accounts'),
  outage(LOST, 2),
  outage(SILENT),
  outage(REFUSED),
  outage(calls('refused with 503', faults.refuse(503))),
  outage(repeated('connections are reset every 200 ms', ({ network }) => network.reset())),
  outage(repeated('idle connections are closed every 200 ms', ({ closeIdle }) => closeIdle())),
  FROZEN,
  changedAddress(),
  silentNames(),
];

/** Variants of these faults, and longer ones. */
export const LONG_FAULTS: readonly LastingFault[] = [
  outage(LOST, 90),
  outage(LOST, 45, 'accounts'),
  outage(HELD, 20),
  outage(SILENT, 45),
  outage(REFUSED, TOLERATED_SECONDS, 'accounts'),
  outage(calls('refused with 429', faults.refuse(429, 'RESOURCE_EXHAUSTED')), 45),
  outage(calls('unanswered', faults.unanswered), 45),
  SLOW,
];
