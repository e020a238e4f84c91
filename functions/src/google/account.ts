// Finds the service's Google Cloud project and credentials, and calls that project's services.

import { CALL_LIMIT_MS } from '../timeLimits.ts';
import { metadataServerTokens, TokenCache } from './accessTokens.ts';
import { type Authorization, type Call, callGoogle } from './call.ts';
import { Connections } from './exchange.ts';
import { UnusableResponse } from './googleError.ts';

export interface GoogleAccount {
  readonly projectId: string;
  readonly authorize: () => Promise<Authorization>;
}
export type FindAccount = () => Promise<GoogleAccount>;

/** A development dependency, which is needed only outside Google's platform and never deployed. */
const googleAuth = async () => (await import('google-auth-library')).GoogleAuth;
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Finds the project and its credentials. On Cloud Run they are the platform's. Elsewhere they are the
 * application default credentials, from GOOGLE_APPLICATION_CREDENTIALS or `gcloud auth
 * application-default login`.
 *
 * @throws Error when the project cannot be determined
 */
export async function findGoogleAccount(env: NodeJS.ProcessEnv): Promise<GoogleAccount> {
  // The Functions emulator sets K_SERVICE too.
  const isOnPlatform = env['K_SERVICE'] && !env['FUNCTIONS_EMULATOR'];
  const tokens = isOnPlatform ? metadataServerTokens(env['GCE_METADATA_HOST']) : defaultTokens();
  const projectId = configuredProject(env) ?? (await findDefaultProject());
  const authorize = async (): Promise<Authorization> => {
    const token = await tokens.get();
    const payer = token.quotaProject && { 'X-Goog-User-Project': token.quotaProject };
    const headers = { Authorization: `Bearer ${token.value}`, ...payer };
    return { headers, dropToken: () => tokens.drop(token) };
  };
  return { projectId, authorize };
}

const defaultTokens = (): TokenCache =>
  new TokenCache(async () => {
    // Use a new client for each token, because one hanging request would block its later ones.
    const client = await new (await googleAuth())({ scopes: SCOPE }).getClient();
    const { token: value } = await client.getAccessToken();
    const { expiry_date: expiresAt } = client.credentials;
    if (!value || !expiresAt) throw new UnusableResponse('the credentials gave no access token');
    return { value, expiresAt, quotaProject: client.quotaProjectId };
  });

/** Firebase sets FIREBASE_CONFIG for a deployed function. Elsewhere the other variables name the project. */
function configuredProject(env: NodeJS.ProcessEnv): string | undefined {
  const config = env['FIREBASE_CONFIG'];
  // The variable can also be a file's path, but Firebase never sets that for functions.
  const firebase = config?.startsWith('{') ? JSON.parse(config).projectId : '';
  return firebase || env['GOOGLE_CLOUD_PROJECT'] || env['GCLOUD_PROJECT'] || undefined;
}

async function findDefaultProject(): Promise<string> {
  try {
    return await new (await googleAuth())().getProjectId();
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`Unknown project: set GOOGLE_CLOUD_PROJECT to its id. (${message})`, { cause });
  }
}

/** Calls `find` once and shares its result. A failure is not kept. */
export function memoize<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  const forget = (error: unknown): never => {
    found = undefined;
    throw error;
  };
  return () => (found ??= find().catch(forget));
}

/** The statuses that Google's own clients retry for reads. */
const TRANSIENT: ReadonlySet<number | undefined> = new Set([408, 429, 499, 500, 502, 503, 504]);
/** The access token that the emulators accept as an administrator's. */
const EMULATOR = { headers: { Authorization: 'Bearer owner' } };

/** Makes a call. @param toCall builds the call from the project's id */
export type CallService = <Result>(toCall: (projectId: string) => Call<Result>) => Promise<Result>;

/** @param name the service's name in messages @param emulatorUrl an emulator to call instead, if any */
export function openService(
  name: string,
  url: string,
  emulatorUrl: string | undefined,
  findAccount: FindAccount,
): CallService {
  const connections = new Connections(emulatorUrl || url);
  const isTransient = (status: number | undefined): boolean => TRANSIENT.has(status);
  return async (toCall) => {
    const account = await findAccount();
    const authorize = emulatorUrl ? async () => EMULATOR : account.authorize;
    const service = { name, connections, authorize, isTransient, limitMs: CALL_LIMIT_MS };
    return await callGoogle(service, toCall(account.projectId));
  };
}
