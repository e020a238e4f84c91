// The benchmark's test double of Google, whose Firestore returns prepared responses. It shares a process with the callers,
// whose CPU no figure includes.

import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { attestationRecord } from '../../contract/examples.ts';
import { ATTESTATION_TYPES } from '../../contract/result.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { newKeyRecord } from '../../records/keyChanges.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import { EMULATED_PROJECT } from '../../tools/sandbox/emulatorAddresses.ts';
import { createGoogleCloud, type GoogleCloud } from '../doubles/googleCloud.ts';

export const KEY = 'benchmark-key';
/** The numbers of attestations of the wallets. */
export const SIZES = [1, 100, 1_000, 10_000];

const { VERIFIED_HUMAN, ...OTHERS } = ATTESTATION_TYPES;
const OTHER_TYPES = Object.values(OTHERS).map(({ number }) => number);

const hashOf = (words: string): Buffer => createHash('sha256').update(words).digest();
export const walletOf = (size: number): string => bs58.encode(hashOf(`wallet with ${size}`));

/** An attestation. The attestations of a wallet have all types and both statuses. The first is of a verified human. */
function attestationOf(size: number, index: number) {
  const type = index === 0 ? undefined : OTHER_TYPES[index % OTHER_TYPES.length];
  return attestationRecord({
    wallet: walletOf(size),
    attestationType: type ?? VERIFIED_HUMAN.number,
    ...(type !== undefined && { contextHashHex: hashOf(`${index}`).toString('hex') }),
    status: index % 7 === 6 ? 'pending' : 'confirmed',
    createdAt: new Date(Date.UTC(2026, 0, 1) + index * 1_000),
  });
}

/** The function refuses a reply that is older than an earlier one, so all have the same read time. */
const NOW = new Date();

/** @returns an element of a response of `batchGet` or `runQuery` */
function elementOf(field: 'found' | 'document', path: string, record: object) {
  const typed = Object.entries(record).map(([name, value]: [string, unknown]) => {
    if (value instanceof Date) return [name, { timestampValue: value }];
    if (typeof value === 'number') return [name, { integerValue: `${value}` }];
    return [name, typeof value === 'boolean' ? { booleanValue: value } : { stringValue: value }];
  });
  const name = `projects/${EMULATED_PROJECT}/databases/(default)/documents/${path}`;
  const fields = Object.fromEntries(typed);
  return { [field]: { name, fields, createTime: NOW, updateTime: NOW }, readTime: NOW };
}

/** @param words occur only in the requests for this response */
const prepare = (words: string, elements: readonly object[]) => ({
  words,
  compact: JSON.stringify(elements),
  // As Google sends it without `prettyPrint=false`.
  indented: JSON.stringify(elements, null, 2),
});

export async function startDatabase(): Promise<GoogleCloud> {
  const keyHash = hashApiKey(KEY);
  const keyRecord = newKeyRecord(KEY, 'Benchmark', new Date(), 'cli');
  const prepared = [
    prepare(keyHash, [elementOf('found', `${COLLECTIONS.apiKeys}/${keyHash}`, keyRecord)]),
    ...SIZES.map((size) => {
      const records = Array.from({ length: size }, (_, index) => attestationOf(size, index));
      return prepare(
        walletOf(size),
        records.map((each) =>
          elementOf('document', `${COLLECTIONS.attestations}/${each.onChainAddress}`, each),
        ),
      );
    }),
  ];
  return await createGoogleCloud(() => ({ path, body }) => {
    const found = prepared.find(({ words }) => body.includes(words));
    if (!found) throw new Error(`No prepared response matches ${body}`);
    return {
      status: 200,
      body: path.includes('prettyPrint=false') ? found.compact : found.indented,
    };
  });
}
