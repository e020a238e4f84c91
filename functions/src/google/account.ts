// The service's Google Cloud project and credentials, and calls to that project's services.

import { CALL_LIMIT_MS } from '../timeLimits.ts';
import { metadataServerTokens } from './accessTokens.ts';
import { type Authorization, type Call, callGoogle, type Service } from './call.ts';
import { Connections } from './exchange.ts';

export interface GoogleAccount {
  readonly projectId: string;
  readonly authorize: () => Promise<Authorization>;
}

/**
 * Opens the account of a function on Cloud Run, whose tokens come from the metadata server. With the
 * emulators, no token is fetched.
 *
 * @throws Error if the environment does not name the project
 */
export function openGoogleAccount(env: NodeJS.ProcessEnv): GoogleAccount {
  const projectId = configuredProject(env);
  if (!projectId) throw new Error('Unknown project: set GOOGLE_CLOUD_PROJECT to its id.');
  const tokens = metadataServerTokens(env['GCE_METADATA_HOST']);
  const authorize = async (): Promise<Authorization> => {
    const token = await tokens.get();
    const headers = { Authorization: `Bearer ${token.value}` };
    return { headers, dropToken: () => tokens.drop(token) };
  };
  return { projectId, authorize };
}

/** Firebase sets FIREBASE_CONFIG for a deployed function. Elsewhere the other variables name the project. */
function configuredProject(env: NodeJS.ProcessEnv): string | undefined {
  const config = env['FIREBASE_CONFIG'];
  // The variable can also be a file's path, but Firebase never sets that for functions.
  const firebase = config?.startsWith('{') ? JSON.parse(config).projectId : '';
  return firebase || env['GOOGLE_CLOUD_PROJECT'] || env['GCLOUD_PROJECT'];
}

/** The statuses that Google's own clients retry for reads. */
const TRANSIENT: ReadonlySet<number | undefined> = new Set([408, 429, 499, 500, 502, 503, 504]);
/** The access token that the emulators accept as an administrator's. */
const EMULATOR = { headers: { Authorization: 'Bearer owner' } };

/** Makes a call, which rejects with GoogleError. */
export type CallService = <Result>(call: Call<Result>) => Promise<Result>;

/** @param name the service's name in messages @param emulatorUrl an emulator to call instead, if any */
export function openService(
  name: string,
  url: string,
  emulatorUrl: string | undefined,
  { authorize }: GoogleAccount,
): CallService {
  const service: Service = {
    name,
    connections: new Connections(emulatorUrl || url),
    authorize: emulatorUrl ? async () => EMULATOR : authorize,
    isTransient: (status) => TRANSIENT.has(status),
    limitMs: CALL_LIMIT_MS,
  };
  return (call) => callGoogle(service, call);
}
