// Explains why Google refuses the credentials, and names the command that fixes it. Google's own
// errors are many lines of JSON, and some contain part of the credentials.

import { GrpcStatus } from 'firebase-admin/firestore';
import * as z from 'zod';
import { Failure } from '../terminal/failure.ts';

const LOGIN = 'run `gcloud auth application-default login`';
const FILE_VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS';

/** The statuses with which Firestore refuses a request and changes nothing. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  GrpcStatus.INVALID_ARGUMENT,
  GrpcStatus.NOT_FOUND,
  GrpcStatus.PERMISSION_DENIED,
  GrpcStatus.RESOURCE_EXHAUSTED,
  GrpcStatus.FAILED_PRECONDITION,
  GrpcStatus.UNAUTHENTICATED,
]);
/** An HTTP status. */
const FORBIDDEN = 403;
/** Node's codes for a file that cannot be read, and for a network failure. */
const UNREADABLE: readonly unknown[] = ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'];
const NETWORK = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE'];

/** Where the documents say how an owner grants access for an hour; a permanent role could forge attestations. */
const FOR_AN_HOUR =
  'docs/administration.md says under "Who can do what" how an owner grants access for an hour.';

/**
 * The fields of an error that are used. OAuth 2.0 (RFC 6749, 5.2) puts the reason into `error` as a string,
 * and Google's other services put an object there.
 */
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
  /** The response of Firebase Authentication. */
  httpResponse: z.object({ status: z.number(), data: z.unknown() }).optional().catch(undefined),
});
type GoogleError = z.infer<typeof googleError>;

/**
 * Describes any thrown value to the user in one sentence.
 *
 * @param project id of the Firebase project, if one was named
 */
export function failureOf(error: unknown, project = 'ID'): Failure {
  if (error instanceof Failure) return error;
  const refused = credentialFailure(error, project);
  if (refused) return refused;
  // Firestore's client puts the number of a gRPC status before its name.
  const text = error instanceof Error ? error.message : String(error);
  return new Failure(text.replace(/^\d+ (?=[A-Z_]+: )/, ''));
}

/**
 * Whether Google has refused a request and changed nothing. After any other error, it may have done what
 * was requested.
 */
export function isRefusal(error: unknown): boolean {
  const { code, httpResponse } = googleError.safeParse(error).data ?? {};
  if (httpResponse) return httpResponse.status >= 400 && httpResponse.status < 500;
  return REFUSALS.has(code);
}

/**
 * @param error an error of Google's libraries
 * @param project id of the Firebase project
 * @returns one sentence that says what to do, or undefined if the error is not about credentials or access
 */
export function credentialFailure(
  error: unknown,
  project: string,
  env: NodeJS.ProcessEnv = process.env,
): Failure | undefined {
  const parsed = googleError.safeParse(error);
  if (error instanceof Failure || !parsed.success) return undefined;
  // A parser's message quotes the file.
  const isBroken = error instanceof SyntaxError;
  const sentence =
    impersonationAdvice(parsed.data, project) ??
    credentialsAdvice(parsed.data, env[FILE_VARIABLE]) ??
    (isBroken
      ? `The credentials of gcloud cannot be read. To sign in again, ${LOGIN}.`
      : accessAdvice(parsed.data, project));
  return sentence === undefined
    ? undefined
    : new Failure(sentence, isBroken ? {} : { cause: error });
}

const isDisabled = (message: string): boolean => /SERVICE_DISABLED|has not been used/.test(message);

/** Advice if the credentials' own account may not act as the service account that they name. */
function impersonationAdvice({ message, response }: GoogleError, id: string): string | undefined {
  if (!message.includes('unable to impersonate') || response?.status !== FORBIDDEN)
    return undefined;
  return isDisabled(message)
    ? `The IAM Credentials API is not enabled. Run \`gcloud services enable iamcredentials.googleapis.com --project ${id}\`.`
    : `Your account may not act as the service account of these credentials, or no longer. ${FOR_AN_HOUR}`;
}

function credentialsAdvice(
  { message, code, response, httpResponse }: GoogleError,
  file: string | undefined,
): string | undefined {
  if (message.includes('Could not load the default credentials')) {
    return `No Google credentials were found. To sign in, ${LOGIN}.`;
  }
  if (message.includes('Could not refresh access token')) {
    return `The metadata server of this machine returned no access token. Give the machine a service account, or ${LOGIN}.`;
  }
  const reason = response?.data?.error;
  const why = reason ? ` (${reason})` : '';
  const isRefused = reason !== undefined || code === GrpcStatus.UNAUTHENTICATED;
  const isUnreadable =
    !response && !httpResponse && (code === undefined || UNREADABLE.includes(code));
  if (file && (isRefused || isUnreadable)) {
    const what = isRefused
      ? `Google refuses the credentials in ${file}${why}`
      : `The credentials in ${file} cannot be read`;
    return `${what}. Name another file in ${FILE_VARIABLE}, or unset it and ${LOGIN}.`;
  }
  if (!isRefused) return undefined;
  return `The credentials have expired or were revoked${why}. To sign in again, ${LOGIN}.`;
}

function accessAdvice(
  { message, code, response, httpResponse }: GoogleError,
  id: string,
): string | undefined {
  const notAllowed = 'The account of your credentials is not allowed to do this in';
  if (httpResponse?.status === FORBIDDEN) {
    // Authentication refuses a person's account without a quota project, whatever its roles.
    return JSON.stringify(httpResponse.data).includes('quota')
      ? 'Authentication needs a quota project for the requests of your account. Run ' +
          `\`gcloud auth application-default set-quota-project ${id}\`.`
      : `${notAllowed} Authentication in the Firebase project ${id}. ` +
          'docs/administration.md says under "Users and their wallets" which role it needs, for an hour only.';
  }
  if (code === GrpcStatus.NOT_FOUND && message.includes('database')) {
    return (
      `The Firebase project ${id} has no Firestore database. Check its id, or create a database with ` +
      `\`gcloud firestore databases create --project ${id} --location LOCATION\`.`
    );
  }
  if (code === GrpcStatus.UNAVAILABLE) return 'Firestore could not be reached. Check the network.';
  if (code === GrpcStatus.RESOURCE_EXHAUSTED) {
    return `Firestore refuses requests beyond the quota of the Firebase project ${id}. Try again in a minute, or raise the quota.`;
  }
  if (code === GrpcStatus.PERMISSION_DENIED) {
    return isDisabled(message)
      ? `Firestore is not enabled in the Firebase project ${id}. Run \`gcloud services enable firestore.googleapis.com --project ${id}\`.`
      : `${notAllowed} the Firebase project ${id}. ${FOR_AN_HOUR}`;
  }
  if (typeof code === 'string' && NETWORK.includes(code)) {
    return `Google could not be reached (${code}). Check the network and the proxy.`;
  }
  return response && `Google returned no access token (HTTP ${response.status}). Try again later.`;
}
