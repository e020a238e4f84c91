// Verifies evidence, which is the signed parts of a response (RFC 9421, Ed25519). A separate entry of the package,
// because it needs `node:crypto`.

import { createHash, createPublicKey, verify } from 'node:crypto';

/** The parts of a signed response to store. They contain the subject, so treat them as personal data. */
export interface Evidence {
  url: string;
  body: string;
  requestId: string;
  signatureInput: string;
  signature: string;
}

/** A public key from the platform's JWK Set. */
export interface PublicKey {
  kid: string;
  kty: string;
  crv?: string | undefined;
  x?: string | undefined;
  /** When the key was created, in seconds since 1970. Earlier signatures are not valid. */
  nbf?: number | undefined;
  /** When the key was retired, in seconds since 1970. Later signatures are not valid. */
  exp?: number | undefined;
  /** Set if the private key leaked. Others may have signed with it since `revoked_at` (seconds since 1970). */
  revoked?: { revoked_at: number } | undefined;
}

/** The tolerated difference between the clocks of two machines. */
const CLOCK_SKEW_SECONDS = 300;

const COVERED =
  '("@status" "content-type" "content-digest" "x-request-id" "@method";req "@query";req)';
const INPUT =
  /(?:^|, *)poh=((\([^)]*\));created=(\d{1,12});keyid="([\w-]{43})";alg="ed25519";tag="poh-attestations")(?=$| *,)/;
const SIGNATURE = /(?:^|, *)poh=:([A-Za-z0-9+/]{86}==):(?=$| *,)/;
/** A member `poh` with any value. The platform sends exactly one. */
const MEMBER = /(?:^|,)[ \t]*poh(?![a-z0-9_.*-])/g;

/**
 * Verifies that the platform returned this body for this request.
 *
 * @param keys the current result of `Client.publicKeys`; an older copy does not show later leaks
 * @param keptSince the earliest time at which you can prove that you had the evidence; needed if its key
 *   has leaked since
 * @returns the time of the signature, or undefined if the evidence is not signed, was changed, or its key
 *   is not valid
 */
export function verifyEvidence(
  evidence: Evidence,
  keys: readonly PublicKey[],
  keptSince?: Date,
): Date | undefined {
  const { url, body, requestId, signatureInput } = evidence;
  const [, parameters, covered, created = '', keyId] = INPUT.exec(signatureInput) ?? [];
  const [key, ...others] = keys.filter(({ kid }) => kid === keyId);
  const text = SIGNATURE.exec(evidence.signature)?.[1] ?? '';
  const signature = Buffer.from(text, 'base64');
  if (covered !== COVERED || key?.kty !== 'OKP' || key.crv !== 'Ed25519') return undefined;
  // With two members, or two keys with the same id, the result would depend on their order.
  const fields = [signatureInput, evidence.signature];
  if (others.length > 0 || fields.some((field) => field.match(MEMBER)?.length !== 1)) {
    return undefined;
  }
  if (!/^[\w-]{43}$/.test(key.x ?? '')) return undefined;
  // Accept only canonical base64, because unused bits at its end are not signed.
  if (text === '' || signature.toString('base64') !== text) return undefined;
  if (!countsAt(key, Number(created), keptSince)) return undefined;
  const base = [
    '"@status": 200',
    '"content-type": application/json; charset=utf-8',
    `"content-digest": sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
    `"x-request-id": ${requestId}`,
    '"@method";req: GET',
    `"@query";req: ?${url.split('?').slice(1).join('?')}`,
    `"@signature-params": ${parameters}`,
  ].join('\n');
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.x ?? '' },
    format: 'jwk',
  });
  const isValid = verify(null, Buffer.from(base), publicKey, signature);
  return isValid ? new Date(Number(created) * 1000) : undefined;
}

/** @param created the signed time in seconds since 1970; anybody with the private key can choose it */
function countsAt({ nbf, exp, revoked }: PublicKey, created: number, keptSince?: Date): boolean {
  const keptSeconds = (keptSince?.getTime() ?? Number.NaN) / 1000;
  // Written as a positive condition, so that NaN fails.
  return (
    created <= Date.now() / 1000 + CLOCK_SKEW_SECONDS &&
    (nbf === undefined || created >= nbf - CLOCK_SKEW_SECONDS) &&
    (exp === undefined || created <= exp) &&
    (!revoked || (created < revoked.revoked_at && keptSeconds < revoked.revoked_at))
  );
}
