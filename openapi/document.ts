// Owns the contract as a whole: the OpenAPI 3.1 document, built from the code's own schemas.

import { emulatedEndpoint } from '../testbed/emulatorAddresses.ts';
import { COMMON_HEADERS, errorBodies, errorTable, responses } from './responses.ts';
import { componentSchemas, subjectParameters } from './wireSchemas.ts';

const { pathname, href } = new URL(emulatedEndpoint());
const PATH = pathname.slice(pathname.lastIndexOf('/'));
const LOCAL_SERVER = href.slice(0, -PATH.length);

const OVERVIEW = `One read-only lookup: given a wallet address, an e-mail address or a verification
token, it returns the soulbound attestations that the subject's wallet holds and summary flags for
humanity, voting and proposal support. Gate on \`hasVerifiedHuman\`.

# Keys

Every request carries an API key in the header \`X-PoH-API-Key\`. Keys are issued per project and are
shown once, when they are made. They belong on servers: no answer carries CORS headers, so a web
page of yours cannot call this endpoint, and no page should hold a key.

# Errors

Every error has the same body: \`error\`, a sentence for a person, \`code\`, which never changes its
meaning, and \`requestId\`. Only \`internal\` is worth a retry. The key is checked before the subject:
a request without a good key learns nothing else.

${errorTable()}

# Changes to come

Attestation types have been added before, and fields may be: ignore fields and types that you do
not know.`;

const LOOK_UP = `Exactly one of the parameters identifies the subject. When several carry a value,
the first one in the order wallet, email, token decides and the others are not looked at; an empty
value is not supplied. HEAD answers as GET, without a body.`;

/** The document, as plain JSON. */
export const openapiDocument = () => ({
  openapi: '3.1.1',
  info: {
    title: 'Proof-of-Humanity attestations',
    version: '1.0.0',
    summary: "The attestations of a person's wallet, in one lookup.",
    description: OVERVIEW,
  },
  servers: [
    {
      url: 'https://us-central1-{project}.cloudfunctions.net',
      description: 'Deployment',
      variables: {
        project: { default: 'PROJECT', description: "The deployment's Firebase project id." },
      },
    },
    { url: LOCAL_SERVER, description: 'Local emulators' },
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
    schemas: componentSchemas(errorBodies()),
  },
});
