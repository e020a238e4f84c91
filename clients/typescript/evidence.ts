// Keeps a signed response as evidence, and verifies it later (RFC 9421, Ed25519).

import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Received } from './exchange.ts';

/** What to store. It contains the subject, so treat it as personal data. */
export interface Evidence {
  url: string;
  body: string;
  requestId: string;
  signatureInput: string;
  signature: string;
}

/** A public key of the platform, as its JWK Set has it. */
export interface PublicKey {
  kid: string;
  kty: string;
  crv?: string | undefined;
  x?: string | undefined;
  /** Seconds since 1970: when it was made. What was signed before is not valid. */
  nbf?: number | undefined;
  /** Seconds since 1970: when it was retired. What was signed later is not valid. */
  exp?: number | undefined;
  /** The private key leaked: since `revoked_at`, in seconds since 1970, others may have signed. */
  revoked?: { revoked_at: number } | undefined;
}

/** How far the clocks of two machines may differ. */
const CLOCK_SKEW_SECONDS = 300;

const COVERED =
  '("@status" "content-type" "content-digest" "x-request-id" "@method";req "@query";req)';
const INPUT =
  /(?:^|, *)poh=((\([^)]*\));created=(\d{1,12});keyid="([\w-]{43})";alg="ed25519";tag="poh-attestations")(?=$| *,)/;
const SIGNATURE = /(?:^|, *)poh=:([A-Za-z0-9+/]{86}==):(?=$| *,)/;
/** A member `poh`, whatever its value: the platform sends one. */
const MEMBER = /(?:^|,)[ \t]*poh(?![a-z0-9_.*-])/g;

/** @returns undefined when the platform does not sign its responses */
export function evidenceOf(url: string, { text, headers }: Received): Evidence | undefined {
  const field = (name: string): string => headers.get(name) ?? '';
  const signature = field('Signature');
  if (!signature) return undefined;
  const [requestId, signatureInput] = [field('X-Request-Id'), field('Signature-Input')];
  return { url, body: text, requestId, signatureInput, signature };
}

/**
 * Verifies that the platform returned this body for this request.
 *
 * @param keys the platform's public keys: `Client.publicKeys`; a copy that you kept lacks later leaks
 * @param keptSince since when you can show that you have it: counts once its key has leaked
 * @returns when it was signed, or undefined when it was not, was changed since, or its key does not count
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
  // With two keys of one id or two members, their order would decide.
  const fields = [signatureInput, evidence.signature];
  if (others.length > 0 || fields.some((field) => field.match(MEMBER)?.length !== 1)) {
    return undefined;
  }
  if (!/^[\w-]{43}$/.test(key.x ?? '')) return undefined;
  // Base64 has spare bits at its end, which nothing signs.
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

/** @param created seconds since 1970, as signed: whoever has the private key can write any time */
function countsAt({ nbf, exp, revoked }: PublicKey, created: number, keptSince?: Date): boolean {
  const keptSeconds = (keptSince?.getTime() ?? Number.NaN) / 1000;
  // Written so that a time that is not a number does not pass.
  return (
    created <= Date.now() / 1000 + CLOCK_SKEW_SECONDS &&
    (nbf === undefined || created >= nbf - CLOCK_SKEW_SECONDS) &&
    (exp === undefined || created <= exp) &&
    (!revoked || (created < revoked.revoked_at && keptSeconds < revoked.revoked_at))
  );
}

/** @returns undefined when it is not a JWK Set */
export function parsePublicKeys(body: unknown): PublicKey[] | undefined {
  const { keys } = (body ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.filter(isPublicKey) : undefined;
}

const isPublicKey = (key: unknown): key is PublicKey => {
  const { kid, kty } = (key ?? {}) as Partial<PublicKey>;
  return typeof kid === 'string' && typeof kty === 'string';
};
