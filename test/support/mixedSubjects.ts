// Seeds wallets that differ in their votes, with an account and a token each, so that a wrong result is recognized.

import { seedAccount, seedToken, seedWallet, votes } from './seed.ts';

const WALLETS = 8;

export interface MixedSubject {
  readonly target: string;
  readonly votedCount: number;
}

/** @returns a lookup in each mode of wallets with 1 to 8 votes */
export async function seedMixedSubjects(): Promise<MixedSubject[]> {
  const subjects: MixedSubject[] = [];
  for (let votedCount = 1; votedCount <= WALLETS; votedCount += 1) {
    const wallet = await seedWallet(...votes(votedCount));
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
