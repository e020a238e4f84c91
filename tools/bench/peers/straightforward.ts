// A straightforward implementation with the SDK. It returns correct results, but never reads concurrently.

import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { getFirestore, type Timestamp } from 'firebase-admin/firestore';
import { onRequest, type Request } from 'firebase-functions/https';

initializeApp();
const db = getFirestore();
const DAY_MS = 24 * 60 * 60 * 1000;

export const pohAttestationsEndpoint = onRequest(async (request, response) => {
  try {
    const { status, body } = await lookUp(request);
    response.status(status).json(body);
  } catch (error) {
    console.error(error);
    response.status(500).json({ error: 'internal error' });
  }
});

const refuse = (status: number, error: string) => ({ status, body: { error } });

async function lookUp(request: Request): Promise<{ status: number; body: object }> {
  const key = request.get('X-PoH-API-Key');
  if (!key) return refuse(401, 'missing key');
  const hash = createHash('sha256').update(key).digest('hex');
  const keyRecord = await db.collection('apiKeys').doc(hash).get();
  if (keyRecord.get('active') !== true) return refuse(401, 'invalid key');

  const { wallet: given, email, token } = request.query;
  let wallet: string;
  if (given) {
    wallet = String(given);
    if (bs58.decodeUnsafe(wallet)?.length !== 32) return refuse(400, 'invalid wallet');
  } else if (email) {
    const account = await getAuth()
      .getUserByEmail(String(email))
      .catch(() => undefined);
    if (!account?.customClaims?.['wallet']) return refuse(404, 'no wallet');
    wallet = account.customClaims['wallet'];
  } else if (token) {
    const record = await db.collection('verificationTokens').doc(String(token)).get();
    const createdAt: Timestamp | undefined = record.get('createdAt');
    if (!createdAt || record.get('revoked') || Date.now() >= createdAt.toMillis() + DAY_MS) {
      return refuse(404, 'no such token');
    }
    wallet = record.get('wallet');
  } else {
    return refuse(400, 'no subject');
  }

  const mirrored = await db.collection('attestations').where('wallet', '==', wallet).get();
  const attestations = mirrored.docs
    .map((document) => document.data())
    .map((fields) => ({
      attestationType: fields['attestationType'],
      contextHashHex: fields['contextHashHex'],
      status: fields['status'],
      onChainAddress: fields['onChainAddress'],
      syncedAt: fields['syncedAt'].toDate().toISOString(),
      createdAt: fields['createdAt'].toDate().toISOString(),
    }))
    .sort((a, b) =>
      `${a.createdAt}${a.onChainAddress}`.localeCompare(`${b.createdAt}${b.onChainAddress}`),
    );
  const confirmed = attestations.filter(({ status }) => status === 'confirmed');
  const ofType = (type: number) =>
    confirmed.filter(({ attestationType }) => attestationType === type).length;
  return {
    status: 200,
    body: {
      ...(given ? { wallet } : {}),
      attestations,
      count: attestations.length,
      hasVerifiedHuman: ofType(0) > 0,
      hasVoted: ofType(1) > 0,
      votedCount: ofType(1),
      hasSupportedProposal: ofType(2) > 0,
      supportedCount: ofType(2),
    },
  };
}
