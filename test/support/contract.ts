// Checks the headers of every response in the tests against docs/openapi.json. Checks its body against a closed form of
// the schema from which that is written, with only the documented fields, types, statuses and codes.

import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import * as z from 'zod';
import { ENDPOINT_PATH } from '../../contract/endpoint.ts';
import { ERROR_CODES, ERRORS } from '../../contract/errors.ts';
import { errorBodySchema, lookupResultSchema } from '../../contract/schemas.ts';

interface SeenResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

interface DocumentedHeader {
  readonly required?: boolean;
  readonly schema: object;
}

const contract = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
);
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: fullFormats });
/** The headers that only this service sends. */
const OWN = '^(content-digest|signature|x-poh-)';

const { responses } = contract.paths[ENDPOINT_PATH].get;
const codesByStatus = Map.groupBy(ERROR_CODES, (code) => ERRORS[code].status);
/** The validators of the service's own statuses. Google Cloud's statuses have other bodies. */
const VALIDATORS = new Map<number, ValidateFunction>([
  [200, compile(200, lookupResultSchema)],
  ...[...codesByStatus].map(([status, codes]) => {
    const closed = errorBodySchema.extend({ code: z.enum(codes) });
    return [status, compile(status, closed)] as const;
  }),
]);

function compile(status: number, closed: z.ZodType): ValidateFunction {
  const headers: Record<string, DocumentedHeader | { $ref: string }> = responses[status].headers;
  const documented = Object.entries(headers).map(
    ([name, header]) => [name.toLowerCase(), headerOf(header)] as const,
  );
  return ajv.compile({
    properties: {
      headers: {
        required: documented.filter(([, { required }]) => required).map(([name]) => name),
        // A response has all three headers of a signature or none.
        dependentRequired: {
          'content-digest': ['signature', 'signature-input'],
          'signature-input': ['signature', 'content-digest'],
          signature: ['signature-input', 'content-digest'],
        },
        properties: Object.fromEntries(documented.map(([name, { schema }]) => [name, schema])),
        propertyNames: {
          anyOf: [{ enum: documented.map(([name]) => name) }, { not: { pattern: OWN } }],
        },
      },
      body: z.toJSONSchema(closed),
    },
  });
}

function headerOf(header: DocumentedHeader | { readonly $ref: string }): DocumentedHeader {
  return '$ref' in header
    ? contract.components.headers[header.$ref.split('/').at(-1) ?? '']
    : header;
}

/** @throws if the contract does not document the response's status, headers and body */
export function requireContract(method: string, response: SeenResponse): void {
  const { status, headers, text, json } = response;
  const validate = VALIDATORS.get(status);
  if (!validate) throw new Error(`the contract does not document status ${status}: ${text}`);
  if (method === 'HEAD' && text !== '') throw new Error(`HEAD returned a body: ${text}`);
  if (validate({ headers, ...(method !== 'HEAD' && { body: json ?? null }) })) return;
  throw new Error(`${status} is not as documented: ${ajv.errorsText(validate.errors)}\n${text}`);
}
