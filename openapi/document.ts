// Builds the contract, an OpenAPI 3.1 document, from the code's own schemas.

import { emulatedEndpoint } from '../sandbox/emulatorAddresses.ts';
import { COMMON_HEADERS, errorTable, responses } from './responses.ts';
import { componentSchemas, subjectParameters } from './wireSchemas.ts';

const { pathname } = new URL(emulatedEndpoint());
const PATH = pathname.slice(pathname.lastIndexOf('/'));

const OVERVIEW = `One read-only lookup: given a wallet address, an e-mail address or a verification
token, it returns the soulbound attestations that the subject's wallet holds and summary flags for
humanity, voting and proposal support. Gate on \`hasVerifiedHuman\`.

# Keys

Every request carries an API key in the header \`X-PoH-API-Key\`. Keys are issued per project and are
shown once, when they are made. They belong on servers: no response carries CORS headers, so a web
page of yours cannot call this endpoint, and no page should contain a key.

# Errors

Every error has the same body: \`error\`, a human-readable sentence, \`code\`, which never changes its
meaning, and \`requestId\`. The key is checked before the subject: a request without a good key learns
nothing else.

${errorTable()}

# When to try again

A lookup changes nothing, so it may be repeated. Worth it, after a pause that doubles each time (1, 2,
4 seconds), are \`internal\`, a connection that breaks off, and what the platform in front of the service
may send by itself: 429, 502, 503, 504, and a 500 without the body above. Those have no \`code\`. Any other
response without that body did not come from the service: check the address.

# Changes

Attestation types have been added before; types, statuses, codes and fields may be. Ignore what you do
not know. \`info.version\` has three numbers: the first moves when something that was promised here
changes or goes, the second when something is added, the third when only words change.`;

const LOOK_UP = `Exactly one of the parameters identifies the subject. When several carry a value,
the first one in the order wallet, email, token decides and the others are not looked at; an empty
value is not supplied. HEAD returns the same as GET, without a body.`;

/** The document, as plain JSON. */
export const openapiDocument = () => ({
  openapi: '3.1.1',
  info: {
    title: 'Proof-of-Humanity attestations',
    version: '1.2.0',
    summary: "The attestations of a person's wallet, in one lookup.",
    description: OVERVIEW,
    contact: { name: 'The platform from whose admins you have your API key' },
  },
  servers: [
    {
      url: 'https://{site}',
      description: "Your platform's site: an address that stays when the service moves",
      // Not described: @apidevtools/swagger-parser refuses a description here, and orval did with it.
      variables: { site: { default: 'PROJECT.web.app' } },
    },
  ],
  tags: [{ name: 'Attestations', description: 'What a wallet holds.' }],
  security: [{ apiKey: [] }],
  paths: {
    [PATH]: {
      get: {
        operationId: 'lookUpAttestations',
        summary: "Look up a subject's attestations",
        description: LOOK_UP,
        tags: ['Attestations'],
        parameters: subjectParameters(),
        responses: responses(),
      },
    },
  },
  components: {
    securitySchemes: {
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-PoH-API-Key',
        description:
          'The API key of your project, sent as it was shown when it was made. It is kept only as its SHA-256 hash, so nobody can show it to you again.',
      },
    },
    headers: COMMON_HEADERS,
    schemas: componentSchemas(),
  },
});
