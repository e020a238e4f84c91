// Signs the response of a successful lookup (RFC 9421, Ed25519), so that it can serve as evidence later. The list of
// components is fixed, so this needs no library.

import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto';
import type { PublicKey } from './publicKeySet.ts';

/** The private key's secret in Secret Manager, and its environment variable. */
export const SIGNING_SECRET = 'RESPONSE_SIGNING_KEY';

const LABEL = 'poh';
/** The covered components, in the order and spelling of Signature-Input. */
const COMPONENTS = [
  '"@status"',
  '"content-type"',
  '"content-digest"',
  '"x-request-id"',
  '"@method";req',
  '"@query";req',
];

interface Signable {
  readonly status: number;
  readonly contentType: string;
  /** JSON text. */
  readonly body: string;
  readonly requestId: string;
  /** The raw query, without its question mark. */
  readonly query: string;
}

/** @returns the headers Content-Digest, Signature-Input and Signature */
export type SignResponse = (response: Signable) => Readonly<Record<string, string>>;

/** The value of Content-Digest (RFC 9530). */
export const contentDigest = (body: string): string =>
  `sha-256=:${hash('sha256', body, 'base64')}:`;

/**
 * Builds the signature base (RFC 9421, 2.5). The response to HEAD has the headers of GET, and so GET's signature.
 *
 * @param parameters the value of @signature-params
 * @returns bytes in Latin-1, because a raw query has one character for each byte
 */
export function signatureBase(
  { status, contentType, requestId, query }: Omit<Signable, 'body'>,
  digest: string,
  parameters: string,
): Buffer {
  const values = [`${status}`, contentType, digest, requestId, 'GET', `?${query}`];
  const lines = COMPONENTS.map((component, index) => `${component}: ${values[index]}`);
  return Buffer.from([...lines, `"@signature-params": ${parameters}`].join('\n'), 'latin1');
}

/** @param now milliseconds since the epoch */
export function createSigner(
  { privateKey, keyId }: ReturnType<typeof parseSigningKey>,
  now: () => number,
): SignResponse {
  const covered = `(${COMPONENTS.join(' ')})`;
  const key = `keyid="${keyId}";alg="ed25519";tag="poh-attestations"`;
  return (response) => {
    const digest = contentDigest(response.body);
    const created = Math.floor(now() / 1000);
    const parameters = `${covered};created=${created};${key}`;
    const signature = sign(null, signatureBase(response, digest, parameters), privateKey);
    return {
      'Content-Digest': digest,
      'Signature-Input': `${LABEL}=${parameters}`,
      Signature: `${LABEL}=:${signature.toString('base64')}:`,
    };
  };
}

/** @param key a private or public Ed25519 key @returns the members of its entry in the set */
export function publicKeyOf(key: KeyObject) {
  const { x = '' } = key.export({ format: 'jwk' });
  // The thumbprint of RFC 7638, over the required members, sorted by name.
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid } as const;
}

/** Whether new signatures with the key are invalid, because it was retired or has leaked. */
export const isRetired = ({ exp, revoked }: PublicKey): boolean =>
  exp !== undefined || revoked !== undefined;

/** @param pem PKCS #8 @throws Error if it is not an Ed25519 private key; the message does not repeat it */
export function parseSigningKey(pem: string) {
  let privateKey: KeyObject | undefined;
  try {
    // The line ends of a secret may be escaped if it was set on one line.
    privateKey = createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // Not reported, because the parser's message may repeat part of the key.
  }
  if (privateKey?.asymmetricKeyType === 'ed25519') {
    return { privateKey, keyId: publicKeyOf(privateKey).kid };
  }
  throw new Error(
    `${SIGNING_SECRET} is not an Ed25519 private key in PKCS #8 PEM format. ` +
      'Create one with `npm run -s admin -- signing-keys create`.',
  );
}

/**
 * Reads the private key once, at start-up. Only an active key of the set may sign, because nobody could
 * verify another key's signatures. With an emulated database any key may sign.
 *
 * @param keys the set that this deployment was built with
 * @param now milliseconds since the epoch
 * @returns undefined if responses are not signed
 * @throws Error if a deployment that signs has no key, or if the key is unusable or not in the set
 */
export function readSigner(
  env: NodeJS.ProcessEnv,
  keys: readonly PublicKey[],
  now: () => number,
): SignResponse | undefined {
  const pem = env[SIGNING_SECRET];
  if (pem) {
    const key = parseSigningKey(pem);
    const isActive = keys.some((each) => each.kid === key.keyId && !isRetired(each));
    if (isActive || env['FIRESTORE_EMULATOR_HOST']) return createSigner(key, now);
    throw new Error(
      `${SIGNING_SECRET} is the private key of ${key.keyId}, which is not an active key of ` +
        'functions/src/signatures/publicKeys.json, so the function does not sign with it and does not start. ' +
        'Commit the set to which `signing-keys create` added the key, or create another key, and deploy again.',
    );
  }
  if (!keys.every(isRetired) && env['K_SERVICE']) {
    throw new Error(
      `${SIGNING_SECRET} is not set, but functions/src/signatures/publicKeys.json has a key that is not retired. ` +
        `Add a version with \`gcloud secrets versions add ${SIGNING_SECRET}\`, or retire the key.`,
    );
  }
  return undefined;
}
