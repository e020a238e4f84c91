// The faults of soak/network.ts: what each does to the connection to Firestore, and for how long.

import { constants } from 'node:http2';
import * as calls from '../doubles/callFaults.ts';
import type { CallFault } from '../doubles/firestoreFrontEnd.ts';
import type { Route } from '../doubles/lossyNetwork.ts';
import type { TokenFault } from '../doubles/metadataServer.ts';
import type { Fault } from './fault.ts';
import { movedName } from './movedName.ts';

/** A read is given up after 8.5 seconds: an outage that is shorter by a few must not be noticed. */
const UNNOTICED_SECONDS = 2;

const outage = (name: string, seconds: number, route: Route, loses: boolean): Fault => ({
  name,
  seconds,
  mayFail: seconds > UNNOTICED_SECONDS,
  begin({ google: { network } }) {
    network.route(route);
    if (loses) network.loseConnections();
    else network.cutConnections();
    return () => network.route('delivered');
  },
});

const lost = (seconds: number): Fault => outage('everything is lost', seconds, 'silent', true);

const CALL_FAULT_SECONDS = 10;
const CALL_FAULT_EVERY_MS = 1_000;
const METHODS = ['BatchGetDocuments', 'RunQuery'] as const;

/** Once a second, the next call of each method gets the fault. */
const callFault = (name: string, fault: CallFault): Fault => ({
  name,
  seconds: CALL_FAULT_SECONDS,
  mayFail: false,
  begin({ google: { database } }) {
    const timer = setInterval(() => {
      for (const method of METHODS) database.failNext(method, fault);
    }, CALL_FAULT_EVERY_MS);
    return () => clearInterval(timer);
  },
});

/** The function requests a new one a second after it got this one, and may use it for 5 minutes. */
const TOKEN_SECONDS = 301;

const slowResponses: Fault = {
  name: 'responses begin after 7 s',
  seconds: 60,
  mayFail: false,
  begin({ google: { database } }) {
    database.failNext('RunQuery', ...Array(10_000).fill(calls.delayed(7_000)));
    return () => database.failNext('RunQuery');
  },
};

/** No new token is issued, while the cached one stays valid. */
const tokenFault = (fault: TokenFault): Fault => ({
  name: `new access tokens: ${fault}`,
  seconds: 10,
  mayFail: false,
  prepare({ metadata }) {
    metadata.setLifetime(TOKEN_SECONDS);
    return {};
  },
  begin({ google: { metadata } }) {
    metadata.failWith(fault);
    return () => metadata.failWith(undefined);
  },
});

const frozenFunction: Fault = {
  name: 'the function is frozen, its connection lost',
  seconds: 60,
  mayFail: false,
  isIdle: true,
  begin({ google: { network }, served }) {
    served.process.kill('SIGSTOP');
    network.loseConnections();
    return () => served.process.kill('SIGCONT');
  },
};

const ALL_STREAMS = 2 ** 31 - 1;
const H2 = constants;

export const FAULTS: readonly Fault[] = [
  lost(1),
  lost(10),
  lost(45),
  lost(90),
  outage('new connections are silent', 10, 'silent', false),
  outage('new TLS connections are silent', 10, 'silent TLS', false),
  outage('connections are refused', 10, 'refused', false),
  callFault('GOAWAY, calls are completed', calls.goAway(H2.NGHTTP2_NO_ERROR, ALL_STREAMS)),
  callFault('GOAWAY, calls are not completed', calls.goAway(H2.NGHTTP2_NO_ERROR, 0)),
  callFault('GOAWAY for an error', calls.goAway(H2.NGHTTP2_INTERNAL_ERROR, 0)),
  callFault(
    'GOAWAY for too many pings',
    calls.goAway(H2.NGHTTP2_ENHANCE_YOUR_CALM, 0, 'too_many_pings'),
  ),
  callFault('reset after the headers', calls.resetAfterHeaders(H2.NGHTTP2_CANCEL)),
  callFault('connection dropped after the headers', calls.connectionLostAfterHeaders),
  slowResponses,
  ...(['unavailable', 'forbidden', 'reset', 'hanging'] as const).map(tokenFault),
  movedName,
  frozenFunction,
];
