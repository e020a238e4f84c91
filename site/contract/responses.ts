// The contract's responses: the code's error table, grouped by status, and Google Cloud's own responses.

import { ERROR_CODES, ERRORS, type ErrorCode } from '../../functions/src/errors.ts';
import { CACHE_CONTROL } from '../../functions/src/lookup.ts';
import { EXAMPLE_REQUEST_ID, errorExample, lookupExamples } from './examples.ts';
import { type Schema, schemaReference } from './schemas.ts';

export const COMMON_HEADERS = {
  'X-Request-Id': {
    required: true,
    description: "The request's id, which is Google Cloud's trace id or a UUID.",
    schema: { type: 'string', examples: [EXAMPLE_REQUEST_ID] },
  },
  'Cache-Control': {
    required: true,
    description: 'No response may be stored, and no proxy may change it.',
    schema: { type: 'string', const: CACHE_CONTROL },
  },
  'X-Content-Type-Options': {
    required: true,
    description: 'Tells clients not to guess another content type.',
    schema: { type: 'string', const: 'nosniff' },
  },
};

/** A deployment that has a signing key sends all of these, and any other deployment sends none. */
const SIGNATURE_HEADERS = {
  'Content-Digest': {
    description: 'RFC 9530. The SHA-256 digest of the body. Sent by a deployment that signs.',
    schema: { type: 'string', pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$' },
  },
  'Signature-Input': {
    description:
      "RFC 9421, label `poh`. Lists the signed components (status, content type, digest, request id, and the request's method and raw query), the time in seconds, and the id of the key, which is its RFC 7638 thumbprint. Sent by a deployment that signs.",
    schema: { type: 'string', pattern: '^poh=\\(.+\\);created=\\d+;keyid="[A-Za-z0-9_-]{43}"' },
  },
  Signature: {
    description:
      'RFC 9421, label `poh`. The algorithm is Ed25519. The public keys are a JWK Set at `/.well-known/http-message-signatures-directory`. Sent by a deployment that signs.',
    schema: { type: 'string', pattern: '^poh=:[A-Za-z0-9+/]{86}==:$' },
  },
};

const commonHeaders = Object.fromEntries(
  Object.keys(COMMON_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const codesByStatus = Map.groupBy(ERROR_CODES, (code): number => ERRORS[code].status);

/** Google's front end may send these itself, without our body, headers and codes. */
export const PLATFORM_STATUSES: Readonly<Record<number, string>> = {
  429: 'too many concurrent requests',
  502: 'the service could not be reached',
  503: 'the service is temporarily unavailable',
  504: 'the service took too long',
};

const TEXT = { schema: { type: 'string' } };

const RETRY_AFTER = {
  'Retry-After': {
    description:
      'When to try again. The service sends whole seconds. Google Cloud may send seconds, a date or nothing.',
    schema: { type: 'string' },
  },
};

const jsonOf = (codes: readonly ErrorCode[]) => ({
  schema: schemaReference('ErrorBody'),
  examples: Object.fromEntries(
    codes.map((code) => [code, { summary: code, value: errorExample(code) }]),
  ),
});

function errorResponse(status: number) {
  const codes = codesByStatus.get(status) ?? [];
  const platform = PLATFORM_STATUSES[status];
  const own = codes.flatMap((code) => Object.entries(ERRORS[code].headers ?? {}));
  const ownHeaders = own.map(([name, value]) => [
    name,
    {
      required: true,
      description: `Always \`${value}\`.`,
      schema: { type: 'string', const: value },
    },
  ]);
  return {
    description: [
      ...codes.map((code) => `- \`${code}\`: ${ERRORS[code].when}.`),
      ...(platform
        ? [`- Google Cloud sends this as text or HTML: ${platform}. Wait, then try again.`]
        : []),
    ].join('\n'),
    headers: {
      ...(platform ? {} : commonHeaders),
      ...Object.fromEntries(ownHeaders),
      ...((status === 429 || status === 503) && RETRY_AFTER),
    },
    content: {
      ...(codes.length > 0 && { 'application/json': jsonOf(codes) }),
      ...(platform && { 'text/plain': TEXT, 'text/html': TEXT }),
    },
  };
}

interface DocumentedBody {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { summary: string; value: unknown }>>;
}

/** A response of the contract. */
export interface DocumentedResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly description?: string }>>;
  readonly content: Readonly<Record<string, DocumentedBody>>;
}

export const responses = (): Record<string, DocumentedResponse> => ({
  200: {
    description: "The attestations of the subject's wallet, and the summary flags and counts.",
    headers: { ...commonHeaders, ...SIGNATURE_HEADERS },
    content: {
      'application/json': { schema: schemaReference('LookupResult'), examples: lookupExamples() },
    },
  },
  ...Object.fromEntries(
    [...codesByStatus.keys(), ...Object.keys(PLATFORM_STATUSES).map(Number)].map((status) => [
      status,
      errorResponse(status),
    ]),
  ),
});

/** Formats a table as Markdown. */
export const table = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

export const errorTable = (): string =>
  table(
    ['Status', 'Code', 'Meaning, and what to do'],
    ERROR_CODES.map((code) => [ERRORS[code].status, `\`${code}\``, ERRORS[code].message]),
  );
