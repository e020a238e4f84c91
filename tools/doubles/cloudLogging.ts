// Stands in for Cloud Logging's entries.list, by the rules of
// https://cloud.google.com/logging/docs/reference/v2/rest/v2/entries/list

import * as z from 'zod';
import type { Call, Handler, Reply } from './standIn.ts';

export interface LogEntry {
  readonly timestamp: string;
  readonly jsonPayload: Record<string, unknown>;
}

const request = z.strictObject({
  resourceNames: z.array(z.string().regex(/^projects\/[a-z][a-z0-9-]+$/)).min(1),
  filter: z.string().max(20_000),
  orderBy: z.enum(['timestamp asc', 'timestamp desc']).default('timestamp asc'),
  // "If the value is negative or exceeds 1000, the request is rejected."
  pageSize: z.int().min(0).max(1_000).default(0),
  pageToken: z.string().optional(),
});
const DEFAULT_PAGE = 50;

const refusal = (code: number, status: string, message: string): Reply => ({
  status: code,
  body: JSON.stringify({ error: { code, status, message } }),
});

/** @param entries in any order */
export function cloudLogging(entries: readonly LogEntry[]): Handler {
  return (call) => {
    if (call.path !== '/v2/entries:list') return refusal(404, 'NOT_FOUND', 'Not found.');
    if (!/^Bearer \S+$/.test(call.headers.authorization ?? '')) {
      return refusal(401, 'UNAUTHENTICATED', 'Request is missing required credential.');
    }
    return list(call, entries);
  };
}

function list({ body }: Call, entries: readonly LogEntry[]): Reply {
  const parsed = request.safeParse(JSON.parse(body));
  if (!parsed.success) return refusal(400, 'INVALID_ARGUMENT', parsed.error.message);
  const { filter, orderBy, pageSize, pageToken } = parsed.data;
  const matches = parseFilter(filter);
  if (!matches) return refusal(400, 'INVALID_ARGUMENT', 'Unparseable filter');
  const found = entries
    .filter(matches)
    .toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  if (orderBy === 'timestamp desc') found.reverse();
  // The first page is always empty, because Google may return a nextPageToken without entries when the
  // search has found none so far.
  const [start = 0, ...others] = pageToken?.split(' ').map(Number) ?? [];
  if (others.length > 0 || Number.isNaN(start)) {
    return refusal(400, 'INVALID_ARGUMENT', 'page_token is invalid');
  }
  if (pageToken === undefined) return page([], '0');
  const end = start + (pageSize || DEFAULT_PAGE);
  return page(found.slice(start, end), end < found.length ? `${end}` : undefined);
}

const page = (entries: readonly LogEntry[], nextPageToken: string | undefined): Reply => ({
  status: 200,
  body: JSON.stringify({ ...(entries.length > 0 && { entries }), nextPageToken }),
});

/** Parses comparisons of fields with strings, joined by AND. Returns undefined for any other query. */
function parseFilter(filter: string): ((entry: LogEntry) => boolean) | undefined {
  const conditions = filter.split(' AND ').map((text) => {
    const [, field, operator, value] =
      /^(timestamp|jsonPayload\.\w+)(=|>=)"([^"]*)"$/.exec(text) ?? [];
    if (!field || !operator || value === undefined) return undefined;
    return {
      field: field.replace('jsonPayload.', ''),
      isTime: field === 'timestamp',
      value,
      operator,
    };
  });
  if (conditions.some((one) => one === undefined)) return undefined;
  return (entry) =>
    conditions.every((one) => {
      if (!one) return false;
      if (one.isTime) return Date.parse(entry.timestamp) >= Date.parse(one.value);
      return one.operator === '=' && entry.jsonPayload[one.field] === one.value;
    });
}
