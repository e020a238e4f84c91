// Reads the lookups of one key from Cloud Logging (method entries.list of its REST API, version 2).

import { GoogleAuth } from 'google-auth-library';
import * as z from 'zod';
import { Failure } from '../terminal/failure.ts';

const ENTRIES = 'https://logging.googleapis.com/v2/entries:list';
const SCOPE = 'https://www.googleapis.com/auth/logging.read';
/** The maximum page size of the API. */
const PAGE_ENTRIES = 1_000;
/** A project may send 60 such requests a minute. */
const PAGES_MAX = 50;
const TIMEOUT_MS = 30_000;

/** One lookup, as the function logs it. */
export interface LoggedLookup {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Missing when the request ended before its subject was read. */
  readonly mode: string | undefined;
  /** `ok`, or the code of the error. */
  readonly code: string;
}

const page = z.object({
  entries: z
    .array(
      z.object({
        timestamp: z.iso.datetime({ offset: true }),
        jsonPayload: z.object({ mode: z.string().optional(), code: z.string() }),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
});

const refusal = z.object({
  response: z.object({
    status: z.number(),
    data: z
      .object({ error: z.object({ message: z.string() }) })
      .optional()
      .catch(undefined),
  }),
});

/** The query for a key's lookups, which works in the Logs Explorer too. @param id 12 digits of the key's hash */
export const lookupQuery = (id: string, sinceMs: number): string =>
  `jsonPayload.message="lookup" AND jsonPayload.keyId="${id}" AND ` +
  `timestamp>="${new Date(sinceMs).toISOString()}"`;

/**
 * Reads a query's lookups, latest first, one page at a time.
 *
 * @returns false if there are more lookups than it reads
 * @throws Failure when Cloud Logging refuses
 */
export async function* readLookups(
  project: string,
  filter: string,
): AsyncGenerator<readonly LoggedLookup[], boolean> {
  const auth = new GoogleAuth({ scopes: SCOPE });
  const request = {
    resourceNames: [`projects/${project}`],
    filter,
    orderBy: 'timestamp desc',
    pageSize: PAGE_ENTRIES,
  };
  let pageToken: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const data = { ...request, ...(pageToken && { pageToken }) };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // Not retried, so that the user sees a refusal immediately.
    const call = { url: ENTRIES, method: 'POST', data, signal, retry: false } as const;
    const response = await auth.request(call).catch((cause: unknown) => {
      throw failureOf(cause, project);
    });
    const { entries, nextPageToken } = page.parse(response.data);
    yield entries.map(({ timestamp, jsonPayload: { mode, code } }) => {
      return { at: Date.parse(timestamp), mode, code };
    });
    // A page may be empty without being the last, so only a missing token ends the search.
    if (!nextPageToken) return true;
    pageToken = nextPageToken;
  }
  return false;
}

/** @returns a Failure, or the cause itself if it is not a response of Cloud Logging */
function failureOf(cause: unknown, project: string): unknown {
  const parsed = refusal.safeParse(cause);
  if (!parsed.success) return cause;
  const { status, data } = parsed.data.response;
  if (data === undefined) return cause;
  return new Failure(`The log of ${project} could not be read (HTTP ${status}). ${advice()}`, {
    cause,
  });

  function advice(): string {
    if (/SERVICE_DISABLED|has not been used/.test(data?.error.message ?? '')) {
      return `Run \`gcloud services enable logging.googleapis.com --project ${project}\`.`;
    }
    if (status === 403) {
      return (
        'An owner can allow it with ' +
        `\`gcloud projects add-iam-policy-binding ${project} --member user:EMAIL --role roles/logging.viewer\`.`
      );
    }
    if (status === 429)
      return 'Cloud Logging accepts 60 requests a minute, so try again in a minute.';
    return 'Try again later.';
  }
}
