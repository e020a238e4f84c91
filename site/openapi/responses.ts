// The contract's responses: the rows of the code's error table, grouped by status, and Google Cloud's own responses.

import { KEY_ENDS_HEADER, KEY_SET_PATH, RESPONSE_HEADERS } from '../../contract/endpoint.ts';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { EXAMPLE_REQUEST_ID, errorExample, lookupExamples } from '../../contract/examples.ts';
import { schemaReference } from './schemas.ts';

export const COMMON_HEADERS = {
  'X-Request-Id': {
    required: true,
    description: "The request's id, which is Google Cloud's trace id or a UUID.",
    schema: { type: 'string', examples: [EXAMPLE_REQUEST_ID] },
  },
  'Cache-Control': {
    required: true,
    description: 'No response may be stored, and no proxy may change it.',
    schema: { type: 'string', const: RESPONSE_HEADERS['Cache-Control'] },
  },
  'X-Content-Type-Options': {
    required: true,
    description: 'Tells clients not to guess another content type.',
    schema: { type: 'string', const: RESPONSE_HEADERS['X-Content-Type-Options'] },
  },
};

const commonHeaders = Object.fromEntries(
  Object.keys(COMMON_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const SIGNED = 'With a 200, `email_not_found` and `token_not_found`, if the deployment signs.';

/** A deployment that has a signing key sends all of these, and any other deployment sends none. */
const SIGNATURE_HEADERS = {
  'Content-Digest': {
    description: `RFC 9530. The SHA-256 digest of the body. ${SIGNED}`,
    schema: { type: 'string', pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$' },
  },
  'Signature-Input': {
    description: `RFC 9421, label \`poh\`. Lists the signed components (status, content type, digest, request id, and the request's method and raw query), the time in seconds, and the id of the key, which is its RFC 7638 thumbprint. ${SIGNED}`,
    schema: { type: 'string', pattern: '^poh=\\(.+\\);created=\\d+;keyid="[A-Za-z0-9_-]{43}"' },
  },
  Signature: {
    description: `RFC 9421, label \`poh\`. The algorithm is Ed25519. The public keys are a JWK Set at \`${KEY_SET_PATH}\`. ${SIGNED}`,
    schema: { type: 'string', pattern: '^poh=:[A-Za-z0-9+/]{86}==:$' },
  },
};

const KEY_ENDS = {
  [KEY_ENDS_HEADER]: {
    description:
      'When the API key ends, if it has an end: ISO 8601 in UTC, with seconds. Every response to a valid key has it. Get a new key from an admin before then.',
    schema: { type: 'string', format: 'date-time', pattern: ':\\d\\dZ$' },
  },
};

const RETRY_AFTER = {
  'Retry-After': {
    description:
      'When to try again. With a 429, the service sends whole seconds. Google Cloud may send seconds, a date or nothing.',
    schema: { type: 'string' },
  },
};

const TEXT = { schema: { type: 'string' } };
const TEXTS = { 'text/plain': TEXT, 'text/html': TEXT };

const PLATFORM_STATUSES = table(
  ['Status', 'Meaning'],
  [
    [429, 'too many concurrent requests'],
    [502, 'the service could not be reached'],
    [503, 'the service is temporarily unavailable'],
    [504, 'the service took too long'],
  ],
);

function errorResponse(status: number, codes: readonly ErrorCode[]) {
  const own = codes.flatMap((code) => Object.entries(ERRORS[code].headers ?? {}));
  const ownHeaders = own.map(([name, value]) => {
    const description = `With a ${status}. Always \`${value}\`.`;
    return [name, { required: true, description, schema: { type: 'string', const: value } }];
  });
  const examples = codes.map((code) => [code, { summary: code, value: errorExample(code) }]);
  // Google Cloud sends a 429 too.
  const isShared = status === 429;
  return {
    description: codes.map((code) => `- \`${code}\`: ${ERRORS[code].when}.`).join('\n'),
    headers: {
      ...(isShared ? RETRY_AFTER : commonHeaders),
      ...Object.fromEntries(ownHeaders),
      // The others are sent before the key is checked, or because it is not valid.
      ...(![401, 405].includes(status) && KEY_ENDS),
      ...(status === 404 && SIGNATURE_HEADERS),
    },
    content: {
      'application/json': {
        schema: schemaReference('ErrorBody'),
        examples: Object.fromEntries(examples),
      },
      ...(isShared && TEXTS),
    },
  };
}

export const responses = () => ({
  200: {
    description: "The attestations of the subject's wallet, and the summary flags and counts.",
    headers: { ...commonHeaders, ...KEY_ENDS, ...SIGNATURE_HEADERS },
    content: {
      'application/json': { schema: schemaReference('LookupResult'), examples: lookupExamples() },
    },
  },
  ...Object.fromEntries(
    [...Map.groupBy(ERROR_CODES, (code) => ERRORS[code].status)].map(([status, codes]) => [
      status,
      errorResponse(status, codes),
    ]),
  ),
  default: {
    description: `Google Cloud's front end sends these itself, without the service's body, headers and codes. Wait, then try again.\n\n${PLATFORM_STATUSES}`,
    headers: RETRY_AFTER,
    content: TEXTS,
  },
});

/** Formats a table as Markdown. */
export function table(heads: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

export const errorTable = (): string =>
  table(
    ['Status', '`code`', 'When'],
    Object.entries(ERRORS).map(([code, { status, when }]) => [status, `\`${code}\``, when]),
  );
