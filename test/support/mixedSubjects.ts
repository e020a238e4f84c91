// Seeds wallets that differ in their votes, with an account and a token each, so that a wrong result is recognized.

import { randomContextHash, seedAccount, seedToken, seedWallet } from './seed.ts';

const WALLETS = 8;

export interface MixedSubject {
  readonly target: string;
  readonly votedCount: number;
}

/** @returns a lookup in each mode of wallets with 1 to 8 votes */
export async function seedMixedSubjects(): Promise<MixedSubject[]> {
  const subjects: MixedSubject[] = [];
  for (let votedCount = 1; votedCount <= WALLETS; votedCount += 1) {
    const votes = Array.from({ length: votedCount }, () => ({
      attestationType: 1,
      contextHashHex: randomContextHash(),
    }));
    const wallet = await seedWallet(...votes);
    for (const query of [
      `wallet=${wallet}`,
      `token=${await seedToken(wallet)}`,
      `email=${await seedAccount({ wallet })}`,
    ]) {
      subjects.push({ target: `?${query}`, votedCount });
    }
  }
  return subjects;
}
