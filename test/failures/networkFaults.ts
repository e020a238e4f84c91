// Lasting faults between a deployed function and Google.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as faults from '../../tools/doubles/callFaults.ts';
import type { NetworkedService } from '../../tools/doubles/googleCloud.ts';
import { createNameServer, NAME_PORT, type NameServer } from '../../tools/doubles/nameServer.ts';
import type { Relay } from '../../tools/doubles/relay.ts';
import type { Fault as CallFault } from '../../tools/doubles/serviceDouble.ts';
import { WITH_MOUNTS } from '../../tools/sandbox/servedFunction.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
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
  readonly prepare?: () => Promise<Record<string, string>>;
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

/** Applies the fault to the calls of these methods. */
const calls = (
  name: string,
  fault: CallFault,
  methods: readonly string[] = ['batchGet', 'runQuery', 'lookup'],
): Outage => ({
  name: `calls are ${name}`,
  begin: ({ service }) => methods.map((method) => service.failAll(method, fault)),
  end: ({ service }) => methods.map((method) => service.failAll(method, undefined)),
});

/** Calls between two resets succeed. */
function resetting(): Outage {
  let timer: NodeJS.Timeout;
  return {
    name: 'connections are reset every 200 ms',
    begin({ network }) {
      timer = setInterval(() => network.reset(), 200);
    },
    end: () => clearInterval(timer),
  };
}

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

/** Whether this machine allows another resolv.conf for one process, and a server on port 53. */
function canReplaceNames(): boolean {
  const [program = '', ...words] = WITH_MOUNTS;
  if (spawnSync(program, [...words, 'true']).status !== 0) return false;
  const firstPort = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  return process.getuid?.() === 0 || firstPort <= NAME_PORT;
}

interface NameFault extends Pick<LastingFault, 'name' | 'seconds' | 'mayFail'> {
  readonly begin: (network: Relay, names: NameServer) => unknown;
  readonly end: (network: Relay, names: NameServer) => unknown;
}

/** The function gets a resolv.conf with a name server of its own. @param address of the name server */
function ofNames(address: string, { begin, end, ...fault }: NameFault): LastingFault {
  let names: NameServer;
  return {
    ...fault,
    isPossible: canReplaceNames(),
    async prepare() {
      names = await createNameServer(address);
      const file = join(temporaryFolder(), 'resolv.conf');
      writeFileSync(file, `nameserver ${address}\n`);
      return { RESOLV_CONF: file };
    },
    async begin({ google: { firestore } }) {
      await begin(firestore.network, names);
      return () => end(firestore.network, names);
    },
    cleanUp: () => names.close(),
  };
}

const NEW_ADDRESS = '127.0.0.2';
const CHANGED_ADDRESS = ofNames('127.0.0.152', {
  name: 'connections are refused, then the server and its name get another address',
  seconds: TOLERATED_SECONDS,
  mayFail: false,
  begin: (network) => network.refuse(),
  end(network, names) {
    names.address = NEW_ADDRESS;
    return network.restore(NEW_ADDRESS);
  },
});

/** The connections are reset, so the function needs the name again. */
const SILENT_NAMES = ofNames('127.0.0.153', {
  name: 'the name server is silent',
  // getaddrinfo repeats its query after 5 s, so its threads would be blocked for another 4 s.
  seconds: 6,
  mayFail: true,
  begin(network, names) {
    names.address = undefined;
    network.reset();
  },
  end(_, names) {
    names.address = '127.0.0.1';
  },
});

export const FAULTS: readonly LastingFault[] = [
  outage(LOST, EXCESSIVE_SECONDS),
  outage(LOST, EXCESSIVE_SECONDS, 'accounts'),
  outage(SILENT),
  outage(REFUSED),
  outage(resetting()),
  FROZEN,
  CHANGED_ADDRESS,
  SILENT_NAMES,
];

/** Variants of these faults, and longer ones. */
export const LONG_FAULTS: readonly LastingFault[] = [
  outage(LOST, 90),
  outage(LOST, 45, 'accounts'),
  outage(SILENT, 45),
  outage(REFUSED, TOLERATED_SECONDS, 'accounts'),
  outage(calls('refused with 429', faults.refuse(429, 'RESOURCE_EXHAUSTED')), 45),
  outage(calls('unanswered', faults.unanswered), 45),
  // A lookup by token makes one query, after the reads of the key and the token.
  { ...outage(calls('7 s late', faults.delayed(7_000), ['runQuery']), 45), mayFail: false },
];
