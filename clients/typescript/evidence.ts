// Verifies evidence, which is the signed parts of a response (RFC 9421, Ed25519). A separate entry of the package,
// because it needs `node:crypto`.

import { createHash, createPublicKey, verify } from 'node:crypto';

/** The parts of a signed response to store. They contain the subject, so treat them as personal data. */
export interface Evidence {
  url: string;
  /** The HTTP status: 200, or 404 for a refusal; 200 if it is missing. */
  status?: number;
  body: string;
  requestId: string;
  signatureInput: string;
  signature: string;
}

/** A public key of the operator (JWK). Store it as it is. */
export type PublicKey = Readonly<Record<string, unknown>>;

/** Why evidence is not valid, and what to do about it. No other reasons exist. */
export const REASONS = {
  malformed:
    "There is no signature in this service's form, or another beside it. Store a 200, or the 404 of a person, completely.",
  invalid_keys:
    'The keys are not a list, or two have the id of the key that signed. Fetch them again from the operator.',
  unknown_key:
    'No usable key has the id of the key that signed. Fetch the current keys from the operator.',
  changed:
    'The body, the query, the request id or the time differs from the signed one. Check first that the URL is exactly the requested one.',
  key_leaked:
    'The key has leaked, so others may have signed this. If you can prove that you had it before the leak, give the earliest time that you can prove.',
  key_retired: 'It was signed after its key was retired, so somebody else may have signed it.',
  key_not_yet: 'It was signed before its key was created, so its time or its key is wrong.',
  clock:
    "It was signed in the future. Check this machine's clock. If the clock is right, somebody forged the time.",
} as const;

export type Reason = keyof typeof REASONS;

export class InvalidEvidence extends Error {
  override readonly name = 'InvalidEvidence';
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(REASONS[reason]);
    this.reason = reason;
  }
}

/** The tolerated difference between the clocks of two machines. */
const CLOCK_SKEW_SECONDS = 300;

const COVERED =
  '("@status" "content-type" "content-digest" "x-request-id" "@method";req "@query";req)';
/** Only one signature, because the words of another one would not be verified. */
const INPUT =
  /^poh=((\([^)]*\));created=(\d{1,12});keyid="([\w-]{43})";alg="ed25519";tag="poh-attestations")$/;
const SIGNATURE = /^poh=:([A-Za-z0-9+/]{86}==):$/;
/** Those of the operator have at most 250 characters. Longer ones would take time to read. */
const HEADER_MAX = 1_000;

/** What is certain about valid evidence: when and with which key it was signed. */
export interface Verified {
  readonly signedAt: Date;
  readonly keyId: string;
}

/**
 * Verifies that the operator returned this status and body for this query. The signature does not cover the rest of the
 * URL.
 *
 * @param keys the operator's current ones, at `/.well-known/http-message-signatures-directory`; an older copy does not
 *   show later leaks
 * @param keptSince the earliest time at which you can prove that you had the evidence, which is not before it was
 *   signed; needed if its key has leaked since
 * @throws InvalidEvidence with the reason
 */
export function verifyEvidence(
  evidence: Evidence,
  keys: readonly PublicKey[],
  keptSince?: Date,
): Verified {
  const { url, status = 200, body } = (evidence ?? {}) as Partial<Evidence>;
  const { requestId, signatureInput, signature } = (evidence ?? {}) as Partial<Evidence>;
  const isComplete = isText(url) && isText(body) && [200, 404].includes(status);
  if (!isComplete || !isHeader(requestId) || !isHeader(signatureInput) || !isHeader(signature))
    throw new InvalidEvidence('malformed');
  const [, parameters, covered, created = '', keyId = ''] = INPUT.exec(signatureInput) ?? [];
  const [, base64] = SIGNATURE.exec(signature) ?? [];
  if (covered !== COVERED || !base64) throw new InvalidEvidence('malformed');
  const key = findKey(keys, keyId);
  const base = [
    `"@status": ${status}`,
    '"content-type": application/json; charset=utf-8',
    `"content-digest": sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
    `"x-request-id": ${requestId}`,
    '"@method";req: GET',
    `"@query";req: ?${url.split('?').slice(1).join('?')}`,
    `"@signature-params": ${parameters}`,
  ].join('\n');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.x };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const isSigned = verify(null, Buffer.from(base), publicKey, Buffer.from(base64, 'base64'));
  if (!isSigned) throw new InvalidEvidence('changed');
  checkTime(key, Number(created), keptSince);
  return { signedAt: new Date(Number(created) * 1000), keyId };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isHeader = (value: unknown): value is string => isText(value) && value.length <= HEADER_MAX;

/** Its times are in seconds since 1970; `leakedAt` is 0 if the key has leaked at an unknown time. */
type Key = { readonly x: string } & Readonly<Partial<Record<'nbf' | 'exp' | 'leakedAt', number>>>;

function findKey(keys: readonly PublicKey[], keyId: string): Key {
  if (!Array.isArray(keys)) throw new InvalidEvidence('invalid_keys');
  const [key, ...others] = keys.filter((each: PublicKey | null) => each?.['kid'] === keyId);
  // With two keys of this id, the result would depend on their order.
  if (others.length > 0) throw new InvalidEvidence('invalid_keys');
  const { kty, crv, x, use = 'sig', nbf, exp, revoked } = Object(key);
  const leakedAt = revoked === undefined ? undefined : (Object(revoked).revoked_at ?? 0);
  const isTimes = [nbf, exp, leakedAt].every((time = 0) => Number.isInteger(time));
  const isKey = kty === 'OKP' && crv === 'Ed25519' && use === 'sig' && /^[\w-]{43}$/.test(x);
  if (!isKey || !isTimes) throw new InvalidEvidence('unknown_key');
  return { x, nbf, exp, leakedAt };
}

/** @param created the signed time in seconds since 1970; anybody with the private key can choose it */
function checkTime({ nbf, exp, leakedAt }: Key, created: number, keptSince?: Date): void {
  if (leakedAt !== undefined) {
    const keptSeconds = Number(keptSince) / 1000;
    // Written as a positive condition, so that NaN fails. Nobody had it before it was signed.
    const isOlder =
      created < leakedAt && keptSeconds < leakedAt && keptSeconds >= created - CLOCK_SKEW_SECONDS;
    if (!isOlder) throw new InvalidEvidence('key_leaked');
  }
  if (exp !== undefined && created > exp) throw new InvalidEvidence('key_retired');
  if (nbf !== undefined && created < nbf - CLOCK_SKEW_SECONDS)
    throw new InvalidEvidence('key_not_yet');
  if (created > Date.now() / 1000 + CLOCK_SKEW_SECONDS) throw new InvalidEvidence('clock');
}
