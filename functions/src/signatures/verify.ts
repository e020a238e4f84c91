// Verifies a signed response (RFC 9421, 3.2).

import { createHash, createPublicKey, verify } from 'node:crypto';
import { COVERED, contentDigest, LABEL, signatureBase, TAG } from './base.ts';
import type { SavedExchange } from './exchange.ts';
import type { PublicKey } from './publicKeySet.ts';

/** Why a response is not valid, and what to do about it. */
export const REFUSALS = {
  unsigned:
    'no signature: the response has no Signature with the label poh. Only a 200 from a deployment that signs has one.',
  other_signature:
    'signature wrong: Signature or Signature-Input is not in the form that this service sends. It was changed, or comes from another service.',
  unknown_key:
    'unknown key: no key in the set has this id. Fetch the current set from the service, or ask whether the key was withdrawn.',
  key_retired:
    'key retired: the response was signed after its key was retired, so somebody else may have signed it.',
  key_not_yet:
    'key too new: the response was signed before its key was created, so its time or its key must be wrong.',
  key_leaked:
    "key leaked: the response was signed when others may have had its key. The function's log shows whether a response with its request id was sent.",
  kept_too_late:
    'key leaked: others may have signed the response after the leak and backdated it. If you can prove that you had it before the leak, add --kept-since with the earliest time that you can prove.',
  in_the_future:
    "time wrong: the response was signed in the future. Check this machine's clock. If the clock is right, the response is not valid.",
  body_changed: 'body changed: its digest differs from the signed one.',
  query_changed: 'query changed: the request and the response name different wallets.',
  signature_wrong:
    'signature wrong: the query, the status, the content type, the request id or the time differs from the signed one. Check first that the URL is exactly the requested one.',
} as const;

export type Refusal = keyof typeof REFUSALS;

export type Verification =
  | { readonly valid: false; readonly refusal: Refusal }
  | { readonly valid: true; readonly createdAt: Date; readonly keyId: string };

/** The tolerated difference between the clocks of two machines. */
const CLOCK_SKEW_SECONDS = 300;

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const INPUT = new RegExp(
  `(?:^|, *)${LABEL}=(${escapePattern(COVERED)};created=(\\d{1,12});keyid="([A-Za-z0-9_-]{43})";alg="ed25519";tag="${TAG}")(?=$| *,)`,
);
const SIGNATURE = new RegExp(`(?:^|, *)${LABEL}=:([A-Za-z0-9+/]{86}==):(?=$| *,)`);
/** A member with the label and any value. More than one is refused, because RFC 8941 (3.2) ignores all but the last. */
const MEMBER = new RegExp(`(?:^|,)[ \\t]*${LABEL}(?![a-z0-9_.*-])`, 'g');

/** The time of the verification, and the earliest provable time at which the response existed. */
export interface VerificationTimes {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Milliseconds since the epoch; undefined if not known. */
  readonly keptSinceMs?: number | undefined;
}

/** @param keys the service's public keys, including retired and leaked ones */
export function verifyExchange(
  { query, status, headers, body }: SavedExchange,
  keys: readonly PublicKey[],
  times: VerificationTimes,
): Verification {
  const header = (name: string): string => headers.get(name) ?? '';
  const fields = [header('signature'), header('signature-input')];
  const signature = SIGNATURE.exec(header('signature'))?.[1];
  if (!signature || !header('signature-input')) return refuse('unsigned');
  const [, parameters, created, keyId] = INPUT.exec(header('signature-input')) ?? [];
  if (!parameters || !keyId || fields.some((field) => field.match(MEMBER)?.length !== 1)) {
    return refuse('other_signature');
  }
  const [key, ...others] = keys.filter(({ kid }) => kid === keyId);
  if (!key || others.length > 0) return refuse('unknown_key');
  const refusal = refusalOfTime(key, Number(created), times);
  if (refusal) return refuse(refusal);

  const digest = contentDigest(createHash('sha256').update(body).digest('base64'));
  if (digest !== header('content-digest')) return refuse('body_changed');
  const parts = {
    status,
    contentType: header('content-type'),
    contentDigest: digest,
    requestId: header('x-request-id'),
    method: 'GET',
    query,
  };
  const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
  const bytes = Buffer.from(signature, 'base64');
  // Base64 may have unused bits at the end, so accept only the canonical form of a signature.
  const isCanonical = bytes.toString('base64') === signature;
  if (!isCanonical || !verify(null, signatureBase(parts, parameters), publicKey, bytes)) {
    return refuse(namesAnotherWallet(query, body) ? 'query_changed' : 'signature_wrong');
  }
  return { valid: true, createdAt: new Date(Number(created) * 1000), keyId };
}

/** @param created the signed time in seconds since the epoch; anybody with the private key can choose it */
function refusalOfTime(
  { nbf = 0, exp = Number.POSITIVE_INFINITY, revoked }: PublicKey,
  created: number,
  { nowMs, keptSinceMs = Number.POSITIVE_INFINITY }: VerificationTimes,
): Refusal | undefined {
  if (revoked && created >= revoked.revoked_at) return 'key_leaked';
  if (revoked && keptSinceMs >= revoked.revoked_at * 1000) return 'kept_too_late';
  if (created > exp) return 'key_retired';
  if (created < nbf - CLOCK_SKEW_SECONDS) return 'key_not_yet';
  return created > nowMs / 1000 + CLOCK_SKEW_SECONDS ? 'in_the_future' : undefined;
}

const refuse = (refusal: Refusal): Verification => ({ valid: false, refusal });

/** Compares the wallet, the only part of the query that the body repeats. */
function namesAnotherWallet(query: string, body: Buffer): boolean {
  const wallet = /"wallet":"([^"]+)"/.exec(body.toString('utf8'))?.[1];
  return wallet !== undefined && new URLSearchParams(query).get('wallet') !== wallet;
}
