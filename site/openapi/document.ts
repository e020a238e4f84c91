// Builds the contract, an OpenAPI 3.1 document, from the code's own schemas. Its version is the first heading of
// docs/changes.md.

import { readFileSync } from 'node:fs';
import { ENDPOINT_PATH, KEY_HEADER } from '../../contract/endpoint.ts';
import { COMMON_HEADERS, responses } from './responses.ts';
import { componentSchemas, subjectParameters } from './schemas.ts';

const CHANGES = readFileSync(new URL('../../docs/changes.md', import.meta.url), 'utf8');
/** The version of the contract and the clients, and its date. */
export const [, VERSION = '', VERSION_DATE = ''] =
  /^## (\d+\.\d+\.\d+), (\S+)$/m.exec(CHANGES) ?? [];

export const TITLE = 'Proof-of-Humanity attestations';

const OVERVIEW = `One read-only lookup: given a wallet address, an e-mail address or a verification
token, it returns the soulbound (non-transferable) attestations that the subject's wallet holds, and
summary flags for humanity, voting and proposal support. Gate on \`hasVerifiedHuman\`. Keep keys on
servers: no response has CORS headers. Types, statuses, codes and fields may be added, so ignore those
that you do not know.

# Errors

Every error of the service has the same body. \`error\` is a message for people, \`code\` never changes
its meaning, and \`requestId\` identifies the request. The key is checked before the subject, so a
request without a valid key gets a 401 whatever its subject is.

A lookup changes nothing, so it is safe to repeat. Try again after \`internal\` and after a broken
connection. Also try again after a 429, 502, 503 or 504, or a 500 without this body. Google Cloud
sends these instead of the service, and they have no \`code\`. Double the pause each time (1, 2, 4
seconds). A 414 or 431 without this body means that the subject is too long. After any other error
without this body, check the address.
`;

const LOOK_UP = `One of the parameters identifies the subject. If several have a value,
the first one in the order wallet, email, token decides. An empty value counts as not supplied, but none of
the three may be given twice. HEAD returns the same as GET, without a body.`;

/** The only operation. */
export const OPERATION = {
  operationId: 'lookUpAttestations',
  summary: "Look up a subject's attestations",
  description: LOOK_UP,
  tags: ['Attestations'],
  parameters: subjectParameters(),
  responses: responses(),
};

/** The document, as plain JSON. */
export const openapiDocument = () => ({
  openapi: '3.1.1',
  info: {
    title: TITLE,
    version: VERSION,
    summary: "The attestations of a person's wallet, in one lookup.",
    description: OVERVIEW,
    contact: { name: 'The operator, whose admins issued your API key' },
  },
  servers: [{ url: '/', description: "The operator's site, from which this document comes." }],
  tags: [{ name: 'Attestations', description: 'The attestations of a wallet.' }],
  security: [{ apiKey: [] }],
  paths: { [ENDPOINT_PATH]: { get: OPERATION } },
  components: {
    securitySchemes: {
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: KEY_HEADER,
        description:
          'The API key of your project, exactly as it was shown when it was created. Only its SHA-256 hash and its last 4 characters are stored, so nobody can show it to you again.',
      },
    },
    headers: COMMON_HEADERS,
    schemas: componentSchemas(),
  },
});
