// Builds the signature base of a response (RFC 9421), for signing and for verifying.
// The list of components is fixed, so this needs no library.

export const LABEL = 'poh';
const TAG = 'poh-attestations';

/** The covered components, in the order and spelling of Signature-Input. */
const COMPONENTS = [
  '"@status"',
  '"content-type"',
  '"content-digest"',
  '"x-request-id"',
  '"@method";req',
  '"@query";req',
] as const;

const COVERED = `(${COMPONENTS.join(' ')})`;

/** The values of the components. */
export interface SignedParts {
  readonly status: number;
  readonly contentType: string;
  readonly contentDigest: string;
  readonly requestId: string;
  /** The method of the request; a response to HEAD is signed as one to GET. */
  readonly method: string;
  /** The raw query, without the question mark. */
  readonly query: string;
}

export interface SignatureParameters {
  /** Seconds since the epoch. */
  readonly created: number;
  /** RFC 7638 thumbprint of the public key. */
  readonly keyId: string;
}

/** The value of @signature-params, and of the member in Signature-Input. */
export const signatureParameters = ({ created, keyId }: SignatureParameters): string =>
  `${COVERED};created=${created};keyid="${keyId}";alg="ed25519";tag="${TAG}"`;

/**
 * Builds the signature base (RFC 9421, 2.5).
 *
 * @returns bytes in Latin-1, because a raw query has one character for each byte
 */
export function signatureBase(parts: SignedParts, parameters: string): Buffer {
  const { status, contentType, contentDigest, requestId, method, query } = parts;
  const values = [`${status}`, contentType, contentDigest, requestId, method, `?${query}`];
  const lines = COMPONENTS.map((component, index) => `${component}: ${values[index]}`);
  return Buffer.from([...lines, `"@signature-params": ${parameters}`].join('\n'), 'latin1');
}

/** Formats base64 as a byte sequence of a structured field (RFC 8941, 3.3.5). */
export const byteSequence = (base64: string): string => `:${base64}:`;

/** The value of Content-Digest (RFC 9530) for a SHA-256 digest in base64. */
export const contentDigest = (sha256: string): string => `sha-256=${byteSequence(sha256)}`;
