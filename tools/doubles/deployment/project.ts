// A double of a Google project on this machine. The real gcloud and the real firebase-tools run unchanged, because a
// proxy with its own certificate responds to their requests over TLS, under Google's real host names. No request
// leaves this machine.

import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../sandbox/freePort.ts';
import { createCertificate } from '../certificate.ts';
import { HANDLERS } from './handlers.ts';
import type { Call, Reply } from './resources.ts';
import { refusal, Store } from './store.ts';

export interface GoogleProject extends AsyncDisposable {
  readonly id: string;
  /** Every request so far. */
  readonly calls: Call[];
  readonly store: Store;
  /** The environment for gcloud and firebase-tools, with the proxy and credentials for this double. */
  readonly env: NodeJS.ProcessEnv;
  /** Refuses matching requests from now on; without a pattern, none. */
  refuse(pattern?: RegExp, reply?: Reply): void;
}

const NAMES = ['*.googleapis.com', '*.google.com', '*.firebaseio.com', 'registry.npmjs.org'];
const SCOPES = ['email', 'openid', 'cloudplatformprojects.readonly', 'firebase', 'cloud-platform'];

/** The configuration that `firebase login` writes. */
const SIGNED_IN = {
  user: { email: 'ops@example.com' },
  tokens: {
    access_token: 'ya29.firebase',
    refresh_token: '1//refresh',
    expires_at: Date.UTC(2100),
    scopes: SCOPES.map((scope, index) =>
      index < 2 ? scope : `https://www.googleapis.com/auth/${scope}`,
    ),
  },
};

/** Creates a project with billing and with the resources that Google creates in every project. */
export async function startGoogleProject(id: string): Promise<GoogleProject> {
  const store = new Store();
  store.resources.set(`projects/${id}/sinks/_Default`, {
    name: '_Default',
    filter: 'severity>=INFO',
  });
  let refused: { pattern?: RegExp | undefined; reply: Reply } | undefined;
  const respond = (call: Call): Reply => {
    if (refused?.pattern?.test(call.what)) return refused.reply;
    for (const [pattern, handle] of HANDLERS) {
      const match = pattern.exec(call.what);
      if (match) return handle(call, match, store);
    }
    const response = store.respond(call);
    return response ?? refusal(400, 'UNIMPLEMENTED', `The double does not support ${call.what}.`);
  };
  const { key, cert, file: certificate } = await createCertificate(NAMES);
  const calls: Call[] = [];

  const services = createHttpsServer({ key, cert }, async (request, response) => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', `https://${headers.host}`);
    const bytes = await buffer(request);
    const call = {
      what: `${method} ${url.host}${url.pathname}`,
      method,
      host: url.host,
      path: decodeURIComponent(url.pathname),
      query: url.searchParams,
      body: parsed(bytes),
    };
    calls.push(call);
    const { status = 200, body } = respond(call);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  const proxy = createHttpServer();
  proxy.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    services.emit('connection', socket);
  });
  const url = `http://127.0.0.1:${await listen(proxy)}`;
  const folder = mkdtempSync(join(tmpdir(), 'signed-in-'));
  const config = join(folder, 'configstore');
  mkdirSync(config);
  writeFileSync(join(config, 'firebase-tools.json'), JSON.stringify(SIGNED_IN));
  writeFileSync(join(folder, 'token'), 'ya29.gcloud');
  return {
    id,
    calls,
    store,
    env: {
      HTTPS_PROXY: url,
      https_proxy: url,
      // firebase-tools reads the function's options from a server on this machine.
      NO_PROXY: 'localhost,127.0.0.1',
      no_proxy: 'localhost,127.0.0.1',
      NODE_EXTRA_CA_CERTS: certificate,
      REQUESTS_CA_BUNDLE: certificate,
      CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE: certificate,
      CLOUDSDK_AUTH_ACCESS_TOKEN_FILE: join(folder, 'token'),
      CLOUDSDK_CONFIG: join(folder, 'gcloud'),
      CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: 'true',
      XDG_CONFIG_HOME: folder,
    },
    refuse(pattern, reply = refusal(403, 'PERMISSION_DENIED', 'The caller lacks a permission.')) {
      refused = { pattern, reply };
    },
    async [Symbol.asyncDispose]() {
      services.closeAllConnections();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return bytes;
  }
}
