// The fault of a name whose address refuses, and which then moves to another one.

import { connect, createServer } from 'node:net';
import { createNameServer, type NameServer } from '../doubles/nameServer.ts';
import { relayTo, type TcpRelay } from '../doubles/tcpRelay.ts';
import type { Fault } from './fault.ts';

const OLD_ADDRESS = '127.0.0.1';
const NEW_ADDRESS = '127.0.0.2';

let names: NameServer;
let oldServer: TcpRelay;

export const movedName: Fault = {
  name: 'the address refuses, then the name moves',
  seconds: 10,
  mayFail: true,
  async prepare() {
    const [host = '', port] = (process.env['FIRESTORE_EMULATOR_HOST'] ?? '').split(':');
    oldServer = await relayTo(`${host}:${port}`);
    names = await createNameServer(OLD_ADDRESS);
    const newPort = Number(oldServer.host.split(':')[1]);
    const newServer = createServer((near) => {
      const far = connect(Number(port), host);
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      near.pipe(far).pipe(near);
    });
    newServer.listen(newPort, NEW_ADDRESS).unref();
    return {
      FIRESTORE_EMULATOR_HOST: `dns://${names.host}/firestore.test:${newPort}`,
      GRPC_NODE_USE_ALTERNATIVE_RESOLVER: 'true',
      grpc_proxy: '',
    };
  },
  begin() {
    void oldServer.cut();
    return () => names.setAddress(NEW_ADDRESS);
  },
};
