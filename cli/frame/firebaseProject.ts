// Connects to a Firebase project, and says in one line what to do if Google refuses a request.

import { randomUUID } from 'node:crypto';
import { type App, applicationDefault, initializeApp } from 'firebase-admin/app';
import { type Firestore, GrpcStatus, getFirestore } from 'firebase-admin/firestore';
import * as z from 'zod';
import { COLLECTIONS } from '../../records/storedValues.ts';
import { Failure } from '../terminal/failure.ts';

/** With these, Firestore or the library for Authentication refuses a request and changes nothing. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  GrpcStatus.INVALID_ARGUMENT,
  GrpcStatus.NOT_FOUND,
  GrpcStatus.PERMISSION_DENIED,
  GrpcStatus.RESOURCE_EXHAUSTED,
  GrpcStatus.FAILED_PRECONDITION,
  GrpcStatus.UNAUTHENTICATED,
  'auth/claims-too-large',
]);
/** In Google's words for credentials and roles, and for what may pass. */
const ABOUT_ACCESS =
  /credential|access token|invalid_grant|permission|unauthenticated|quota project/i;
const MAY_PASS = /UNAVAILABLE|EXHAUSTED|status code 5|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE/;

/** OAuth 2.0 (RFC 6749, 5.2) has a string in `error`, and Google's other services have an object. */
const errorBody = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });
const reply = z.object({ status: z.number(), data: z.unknown() }).optional().catch(undefined);
/** The fields of an error that are used. Authentication's replies are in `httpResponse`. */
const googleError = z.object({
  message: z.string().catch(''),
  code: z.union([z.number(), z.string()]).optional().catch(undefined),
  response: reply,
  httpResponse: reply,
});

/**
 * Whether Google has refused a request and changed nothing. After any other error, it may have done what
 * was requested.
 */
export function isRefusal(error: unknown): boolean {
  const { code, httpResponse } = googleError.safeParse(error).data ?? {};
  if (httpResponse) return httpResponse.status >= 400 && httpResponse.status < 500;
  return REFUSALS.has(code);
}

/** Describes any thrown value in one line: the first line of Google's message, and what to do. */
export function failureOf(error: unknown, project = 'ID'): Failure {
  if (error instanceof Failure) return error;
  const access =
    `Run \`gcloud auth application-default login --impersonate-service-account poh-keys@${project}.iam.gserviceaccount.com\`, ` +
    'or get access as docs/administration.md says under "Who can do what".';
  // A parser's message quotes the file, so neither it nor its stack is shown.
  if (error instanceof SyntaxError) return new Failure(`The credentials are not JSON. ${access}`);
  const { message, code, response, httpResponse } = googleError.parse(Object(error));
  const said = errorBody.safeParse((httpResponse ?? response)?.data).data?.error ?? message;
  const [line = ''] = (typeof said === 'string' ? said : said.message).split('\n');
  // Firestore's client puts the number of a gRPC status before its name.
  const shown = line.replace(/^\d+ (?=[A-Z_]+: )/, '').replace(/\.?$/, '.');
  const text = `${code} ${message} ${line}`;
  const later = MAY_PASS.test(text) ? 'Check the network, and try again in a minute.' : '';
  const advice = ABOUT_ACCESS.test(text) ? access : later;
  return new Failure(`${shown} ${advice}`.trimEnd(), { cause: error });
}

/**
 * @param project id of the Firebase project
 * @returns the database, and its clock in milliseconds
 */
export async function connect(
  project: string,
  isEmulated: boolean,
): Promise<{ readonly app: App; readonly db: Firestore; readonly nowMs: number }> {
  if (isEmulated) {
    // The emulators need no credentials, so Google's metadata server is not asked for them.
    process.env['METADATA_SERVER_DETECTION'] ??= 'none';
    // With `https_proxy` in lower case, gRPC would connect to this machine through a proxy.
    process.env['no_grpc_proxy'] ??= process.env['FIRESTORE_EMULATOR_HOST']?.replace(/:\d+$/, '');
  } else {
    // Requested separately, because Firestore retries for minutes and its errors say less.
    await applicationDefault().getAccessToken();
  }
  // Named, so that several commands can run in one process.
  const app = initializeApp({ projectId: project }, randomUUID());
  const db = getFirestore(app);
  // One read first, because a write to an unreachable database is retried for ten minutes.
  const { readTime } = await db.collection(COLLECTIONS.apiKeys).doc('-').get();
  return { app, db, nowMs: readTime.toMillis() };
}
