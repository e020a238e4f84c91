// Verifies a signed response (RFC 9421, 3.2): why it is not valid, or when and by which key it was signed.

import { createHash, createPublicKey, verify } from 'node:crypto';
import { COVERED, contentDigest, LABEL, signatureBase, TAG } from './base.ts';
import type { SavedExchange } from './exchange.ts';
import type { PublicKey } from './publicKeySet.ts';

/** Why a response is not valid, and what to do about it. */
export const REFUSALS = {
  unsigned:
    'no signature: the response has no Signature of the label poh. Only a 200 of a deployment that signs has one.',
  other_signature:
    'signature wrong: Signature or Signature-Input is not the one that this service sends. It was changed, or comes from another service.',
  unknown_key:
    'unknown key: no key of the set has this id. Fetch the current set from the service, or ask whether the key was withdrawn.',
  key_retired:
    'key retired: it was signed after its key was retired, so somebody else may have signed it.',
  key_not_yet:
    'key too new: it was signed before its key was made, so its time or its key is not the true one.',
  key_leaked:
    'key leaked: it was signed when others may have had its key. The log of the function shows whether a response with its request id was sent.',
  kept_too_late:
    'key leaked: others may have signed it since, with this earlier time. If you can show that you had it before the leak, add --kept-since with the time since when.',
  in_the_future:
    'time wrong: it was signed in the future. Check the clock of this machine; if it is right, the response is not.',
  body_changed: 'body changed: it does not have the digest that was signed.',
  query_changed: 'query changed: the request names another wallet than the response.',
  signature_wrong:
    'signature wrong: the query, the status, the content type, the request id or the time is not what was signed. Check first that the URL is exactly the one that was requested.',
} as const;

export type Refusal = keyof typeof REFUSALS;

export type Verification =
  | { readonly valid: false; readonly refusal: Refusal }
  | { readonly valid: true; readonly createdAt: Date; readonly keyId: string };

/** How far the clocks of two machines may differ. */
const CLOCK_SKEW_SECONDS = 300;

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const INPUT = new RegExp(
  `(?:^|, *)${LABEL}=(${escapePattern(COVERED)};created=(\\d{1,12});keyid="([A-Za-z0-9_-]{43})";alg="ed25519";tag="${TAG}")(?=$| *,)`,
);
const SIGNATURE = new RegExp(`(?:^|, *)${LABEL}=:([A-Za-z0-9+/]{86}==):(?=$| *,)`);
/** A member of the label, whatever its value. Of several the last one counts (RFC 8941, 3.2): none is sent. */
const MEMBER = new RegExp(`(?:^|,)[ \\t]*${LABEL}(?![a-z0-9_.*-])`, 'g');

/** When the response is verified, and since when it was provably kept. */
export interface VerificationTimes {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Milliseconds since the epoch; undefined: not known. */
  readonly keptSinceMs?: number | undefined;
}

/** @param keys the service's public keys, retired and leaked ones too */
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
  // Base64 has spare bits at its end: only the canonical text of a signature is one.
  const isCanonical = bytes.toString('base64') === signature;
  if (!isCanonical || !verify(null, signatureBase(parts, parameters), publicKey, bytes)) {
    return refuse(namesAnotherWallet(query, body) ? 'query_changed' : 'signature_wrong');
  }
  return { valid: true, createdAt: new Date(Number(created) * 1000), keyId };
}

/** @param created seconds since the epoch, as signed: whoever has the private key can write any time */
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

/** The one part of the query that the body repeats, in wallet mode. */
function namesAnotherWallet(query: string, body: Buffer): boolean {
  const wallet = /"wallet":"([^"]+)"/.exec(body.toString('utf8'))?.[1];
  return wallet !== undefined && new URLSearchParams(query).get('wallet') !== wallet;
}
