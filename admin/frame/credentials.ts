// What it means when Google refuses the credentials, and the command that fixes it. Google's own
// errors are JSON of many lines, and some of them contain a part of the credentials.

import * as z from 'zod';
import { Failure } from '../../terminal/failure.ts';

const LOGIN = 'run `gcloud auth application-default login`';
const FILE_VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS';

/** gRPC's statuses, and Node's codes for a network failure. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;
/** HTTP's. */
const FORBIDDEN = 403;
const UNREADABLE: readonly unknown[] = ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'];
const NETWORK = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE'];

/** What is read of an error; OAuth 2.0 (RFC 6749, 5.2) names its reason in `error`. */
const googleError = z.object({
  message: z.string().catch(''),
  code: z.union([z.number(), z.string()]).optional().catch(undefined),
  response: z
    .object({
      status: z.number(),
      data: z.object({ error: z.string() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** Authentication's response. */
  httpResponse: z.object({ status: z.number(), data: z.unknown() }).optional().catch(undefined),
});
type GoogleError = z.infer<typeof googleError>;

/**
 * @param error whatever Google's libraries have thrown
 * @param project id of the Firebase project
 * @returns one sentence with what to do, or undefined when it is not about credentials or access
 */
export function credentialFailure(
  error: unknown,
  project: string,
  env: NodeJS.ProcessEnv = process.env,
): Failure | undefined {
  const parsed = googleError.safeParse(error);
  if (error instanceof Failure || !parsed.success) return undefined;
  const { message, code, response } = parsed.data;
  const file = env[FILE_VARIABLE];
  const sentence =
    ofAuthentication(parsed.data, project) ??
    ofCredentials(parsed.data, file) ??
    ofAccess(message, code, project) ??
    ofNetwork(code, response);
  return sentence === undefined ? undefined : new Failure(sentence, { cause: error });
}

function ofCredentials(
  { message, code, response }: GoogleError,
  file: string | undefined,
): string | undefined {
  if (message.includes('Could not load the default credentials')) {
    return `There are no credentials for Google: ${LOGIN}.`;
  }
  if (message.includes('Could not refresh access token')) {
    return `The metadata server of this machine returned no access token: give it a service account, or ${LOGIN}.`;
  }
  const reason = response?.data?.error;
  const isRefused = reason !== undefined || code === UNAUTHENTICATED;
  const isUnreadable = response === undefined && (code === undefined || UNREADABLE.includes(code));
  if (file && (isRefused || isUnreadable)) {
    const what = isRefused
      ? `Google refuses the credentials in ${file}${reason ? ` (${reason})` : ''}`
      : `The credentials in ${file} cannot be read`;
    return `${what}: name another file in ${FILE_VARIABLE}, or unset it and ${LOGIN}.`;
  }
  if (!isRefused) return undefined;
  return `The credentials have expired or were revoked${reason ? ` (${reason})` : ''}: ${LOGIN}.`;
}

function ofAuthentication({ httpResponse }: GoogleError, id: string): string | undefined {
  if (httpResponse?.status !== FORBIDDEN) return undefined;
  // Without one Authentication refuses the account of a person, whatever its roles.
  if (JSON.stringify(httpResponse.data).includes('quota')) {
    return (
      'Authentication needs to know which project the requests of your account count for: run ' +
      `\`gcloud auth application-default set-quota-project ${id}\`.`
    );
  }
  return (
    `The account of the credentials may not do this in Authentication of the project ${id}: an owner grants it with ` +
    `\`gcloud projects add-iam-policy-binding ${id} --member user:EMAIL --role roles/firebaseauth.admin\` ` +
    '(roles/firebaseauth.viewer to read alone).'
  );
}

function ofAccess(message: string, code: GoogleError['code'], id: string): string | undefined {
  if (code === NOT_FOUND && message.includes('database')) {
    return (
      `There is no Firestore database in the project ${id}: check the project, or make one with ` +
      `\`gcloud firestore databases create --project ${id} --location LOCATION\`.`
    );
  }
  if (code !== PERMISSION_DENIED) return undefined;
  if (/SERVICE_DISABLED|has not been used/.test(message)) {
    return (
      `Firestore is not enabled in the project ${id}: run ` +
      `\`gcloud services enable firestore.googleapis.com --project ${id}\`.`
    );
  }
  return (
    `The account of the credentials may not do this in the project ${id}: an owner grants it with ` +
    `\`gcloud projects add-iam-policy-binding ${id} --member user:EMAIL --role roles/datastore.user\` ` +
    '(roles/datastore.viewer to read alone).'
  );
}

function ofNetwork(
  code: GoogleError['code'],
  response: GoogleError['response'],
): string | undefined {
  if (typeof code === 'string' && NETWORK.includes(code)) {
    return `Google could not be reached (${code}): check the network and the proxy.`;
  }
  return response && `Google returned no access token (HTTP ${response.status}): try again later.`;
}
