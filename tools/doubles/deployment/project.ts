// A double of a Google project on this machine, for the real gcloud and the real firebase-tools.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HANDLERS } from './handlers.ts';
import { type Call, type Reply, startProxy } from './proxy.ts';
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
  const proxy = await startProxy((call) => {
    if (refused?.pattern?.test(call.what)) return refused.reply;
    for (const [pattern, handle] of HANDLERS) {
      const match = pattern.exec(call.what);
      if (match) return handle(call, match, store);
    }
    const response = store.respond(call);
    return response ?? refusal(400, 'UNIMPLEMENTED', `The double does not support ${call.what}.`);
  });
  const folder = mkdtempSync(join(tmpdir(), 'signed-in-'));
  const config = join(folder, 'configstore');
  mkdirSync(config);
  writeFileSync(join(config, 'firebase-tools.json'), JSON.stringify(SIGNED_IN));
  writeFileSync(join(folder, 'token'), 'ya29.gcloud');
  return {
    id,
    calls: proxy.calls,
    store,
    env: {
      HTTPS_PROXY: proxy.url,
      https_proxy: proxy.url,
      // firebase-tools reads the function's options from a server on this machine.
      NO_PROXY: 'localhost,127.0.0.1',
      no_proxy: 'localhost,127.0.0.1',
      NODE_EXTRA_CA_CERTS: proxy.certificate,
      REQUESTS_CA_BUNDLE: proxy.certificate,
      CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE: proxy.certificate,
      CLOUDSDK_AUTH_ACCESS_TOKEN_FILE: join(folder, 'token'),
      CLOUDSDK_CONFIG: join(folder, 'gcloud'),
      CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: 'true',
      XDG_CONFIG_HOME: folder,
    },
    refuse(pattern, reply = refusal(403, 'PERMISSION_DENIED', 'The caller lacks a permission.')) {
      refused = { pattern, reply };
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
