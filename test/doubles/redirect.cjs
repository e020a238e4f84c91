// Preloaded into a served process. Connects Google's host names to their test doubles on this machine. Names,
// certificates and headers stay as in production.
//
//   SERVICE_DOUBLES  the ports of the test doubles, as JSON: {"firestore.googleapis.com": 1234}
//   RESOLV_CONF      set if the process has a resolv.conf of its own, so that names are resolved as in production

const dns = require('node:dns');
const net = require('node:net');

/** @type {Record<string, number>} */
const ports = JSON.parse(process.env.SERVICE_DOUBLES ?? '{}');
const HTTPS_PORT = 443;
const LOCAL = { address: '127.0.0.1', family: 4 };

/** With a resolv.conf of its own, the process resolves names as in production. */
const isReal = process.env.RESOLV_CONF;

const { lookup } = dns;
dns.lookup = (name, options, callback) => {
  if (isReal || !(name in ports)) return lookup(name, options, callback);
  setImmediate(callback, null, options.all ? [LOCAL] : LOCAL.address, LOCAL.family);
};

const { resolve4 } = dns.Resolver.prototype;
dns.Resolver.prototype.resolve4 = function (name, callback) {
  if (isReal || !(name in ports)) return resolve4.call(this, name, callback);
  setImmediate(callback, null, [LOCAL.address]);
};

// gRPC resolves the name first and then connects to the address.
const lookupPromise = dns.promises.lookup;
dns.promises.lookup = async (name, options) =>
  name in ports ? (options?.all ? [LOCAL] : LOCAL) : await lookupPromise(name, options);

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...parameters) {
  const options = [parameters[0]].flat()[0];
  const isGrpc = options?.host === LOCAL.address && Number(options.port) === HTTPS_PORT;
  const name = isGrpc ? Object.keys(ports)[0] : options?.host;
  if (name in ports) options.port = ports[name];
  // The metadata server has no name.
  if (name in ports && net.isIP(name)) options.host = LOCAL.address;
  return connect.apply(this, parameters);
};
