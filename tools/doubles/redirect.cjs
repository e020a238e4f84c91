// Preloaded into a served process. Connects Google's host names to their stand-ins on this machine. Names,
// certificates and headers stay as in production.
//
//   STAND_INS    the ports of the stand-ins, as JSON: {"firestore.googleapis.com": 1234}
//   NAME_SERVER  host:port of a name server for these names; without it they resolve to 127.0.0.1

const dns = require('node:dns');
const net = require('node:net');

/** @type {Record<string, number>} */
const ports = JSON.parse(process.env.STAND_INS ?? '{}');
const HTTPS_PORT = 443;
const LOCAL = { address: '127.0.0.1', family: 4 };

const { lookup } = dns;
dns.lookup = (name, options, callback) => {
  if (!(name in ports)) return lookup(name, options, callback);
  const answer = (error, address = LOCAL.address) => {
    if (options.all) callback(error, [{ ...LOCAL, address }]);
    else callback(error, address, LOCAL.family);
  };
  if (!process.env.NAME_SERVER) return setImmediate(answer, null);
  const resolver = new dns.Resolver();
  resolver.setServers([process.env.NAME_SERVER]);
  resolver.resolve4(name, (error, addresses) => answer(error, addresses?.[0]));
};

// gRPC resolves the name first and then connects to the address.
const lookupPromise = dns.promises.lookup;
dns.promises.lookup = async (name, options) =>
  name in ports ? (options?.all ? [LOCAL] : LOCAL) : await lookupPromise(name, options);

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...parameters) {
  const options = [parameters[0]].flat()[0];
  if (Number(options?.port) === HTTPS_PORT) {
    const name = options.host === LOCAL.address ? Object.keys(ports)[0] : options.host;
    if (name in ports) options.port = ports[name];
  }
  return connect.apply(this, parameters);
};
