// Which Google Cloud project the service belongs to, with which credentials, and how it calls that project's services.

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
type Environment = Readonly<Record<string, string | undefined>>;

/** A development dependency: it is needed only outside of Google's platform, and never deployed. */
const googleAuth = async () => (await import('google-auth-library')).GoogleAuth;
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Finds the project, and opens the credentials: on Cloud Run the platform's own, and elsewhere the application default ones
 * (those of GOOGLE_APPLICATION_CREDENTIALS, or else of `gcloud auth application-default login`).
 *
 * @throws Error when the project cannot be determined
 */
export async function findGoogleAccount(env: Environment): Promise<GoogleAccount> {
  // The Functions emulator sets K_SERVICE too.
  const isOnPlatform = env['K_SERVICE'] && !env['FUNCTIONS_EMULATOR'];
  const tokens = isOnPlatform ? metadataServerTokens(env['GCE_METADATA_HOST']) : defaultTokens();
  const projectId = configuredProject(env) ?? (await findDefaultProject());
  const authorize = async (): Promise<Authorization> => {
    const token = await tokens.get();
    const payer = token.quotaProject && { 'X-Goog-User-Project': token.quotaProject };
    const headers = { Authorization: `Bearer ${token.value}`, ...payer };
    return { headers, refuse: () => tokens.drop(token) };
  };
  return { projectId, authorize };
}

const defaultTokens = (): TokenCache =>
  new TokenCache(async () => {
    // Created anew each time: its later requests would all wait for one that hangs.
    const client = await new (await googleAuth())({ scopes: SCOPE }).getClient();
    const { token: value } = await client.getAccessToken();
    const { expiry_date: expiresAt } = client.credentials;
    if (!value || !expiresAt) throw new UnusableResponse('the credentials gave no access token');
    return { value, expiresAt, quotaProject: client.quotaProjectId };
  });

/** Firebase sets FIREBASE_CONFIG for a deployed function; elsewhere the other variables name the project. */
function configuredProject(env: Environment): string | undefined {
  const config = env['FIREBASE_CONFIG'];
  // Otherwise it is a file's path, which Firebase sets for no function.
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

/** @returns the same result for all callers; a failure is not kept */
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
/** What the emulators take as an administrator's access token. */
const EMULATOR = { headers: { Authorization: 'Bearer owner' } };

/** Makes a call. @param toCall describes it for the project that the service belongs to */
export type CallService = <Result>(toCall: (projectId: string) => Call<Result>) => Promise<Result>;

/** @param name of the service, for messages @param emulatorUrl an emulator to call in its place, if any */
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
