// Decides whether an API key admits a lookup: by its record, which is read for every lookup, and by its budget of reads on
// this instance.

import { hash as nodeHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { type KeyHash, type KeyRecord, keyStateAt } from '../../records/apiKey.ts';

/** A budget grows for this long. */
const BUDGET_SECONDS = 10;
/** Neither a burst nor one large wallet closes a key for longer. */
const DEBT_SECONDS = 60;
/** What a lookup reserves at least: its key, its subject and an attestation. */
const COST_MIN = 3;

/** As `hashApiKey`, but with Node's own SHA-256. @param apiKey the header, a character for each byte */
export const hashHeader = (apiKey: string): KeyHash =>
  nodeHash('sha256', Buffer.from(apiKey, 'latin1')) as KeyHash;

/** The document reads that a key has left. */
class Budget {
  /** In reads per second; Infinity means unlimited. A change counts from the next reservation or charge on. */
  rate = Infinity;
  #balance = Infinity;
  #settledAt = 0;
  /** What the lookups in flight have reserved. */
  #reserved = 0;
  #latestCost = COST_MIN;

  /** Reserves what the latest lookup cost. @returns the reserved reads; 0 if the budget is used up */
  reserve(): number {
    this.#settle(0);
    if (this.#balance <= this.#reserved) return 0;
    this.#reserved += this.#latestCost;
    return this.#latestCost;
  }

  /** Replaces a reservation by what was read. */
  charge(reserved: number, reads: number): void {
    this.#reserved -= reserved;
    this.#settle(reads);
  }

  /** Charges what an admitted lookup has read, and expects the same of the next one. */
  end(reserved: number, reads: number): void {
    this.charge(reserved, reads);
    this.#latestCost = Math.max(reads, COST_MIN);
  }

  /** In how many whole seconds the balance will be positive. */
  secondsLeft(): number {
    const missing = this.#reserved - this.#balance;
    return Math.min(Math.floor(missing / this.rate) + 1, DEBT_SECONDS);
  }

  #settle(reads: number): void {
    const now = performance.now();
    const { rate } = this;
    // A time of 0 is multiplied by no Infinity.
    const grown = rate === Infinity ? rate : ((now - this.#settledAt) * rate) / 1_000;
    const balance = Math.min(this.#balance + grown, BUDGET_SECONDS * rate) - reads;
    this.#balance = Math.max(balance, -DEBT_SECONDS * rate);
    this.#settledAt = now;
  }
}

/** A key that this instance has admitted. */
interface KnownKey {
  /** As it was last read. Undefined if it was refused then. */
  record: KeyRecord | undefined;
  readonly budget: Budget;
}

/** The keys that this instance has admitted. */
export type KnownKeys = Map<KeyHash, KnownKey>;

/** A lookup at its key, from its arrival to its end. */
export class Visit {
  readonly #hash: KeyHash;
  readonly #keys: KnownKeys;
  #reserved: number;
  /**
   * The record with which the key was last admitted, if it has reads left. They are reserved, so the lookup may read
   * ahead. The record that it reads still decides.
   */
  readonly expected: KeyRecord | undefined;

  /** @param hash may be any text's */
  constructor(hash: KeyHash, keys: KnownKeys) {
    const key = keys.get(hash);
    this.#hash = hash;
    this.#keys = keys;
    this.#reserved = key?.budget.reserve() ?? 0;
    this.expected = this.#reserved > 0 ? key?.record : undefined;
  }

  /** @param record as it was read for this lookup @throws ApiError `unauthorized`, `rate_limited` */
  admit(record: KeyRecord, nowMs: number, defaultRate: number): void {
    const known = this.#keys.get(this.#hash);
    if (keyStateAt(record, nowMs) !== 'active') {
      if (known) known.record = undefined;
      throw new ApiError('unauthorized');
    }
    const key = known ?? { record, budget: new Budget() };
    key.record = record;
    // Only keys that an admin has created are ever added, so the map stays small.
    if (!known) this.#keys.set(this.#hash, key);
    const { budget } = key;
    budget.rate = record.readsPerSecond ?? defaultRate;
    this.#reserved ||= budget.reserve();
    if (this.#reserved > 0) return;
    throw new ApiError('rate_limited', { 'Retry-After': `${budget.secondsLeft()}` });
  }

  /**
   * Charges what the lookup has read.
   *
   * @param isGivenUp whether a read was begun whose end nobody awaits, which Firestore may charge as well
   */
  end(reads: number, isGivenUp: boolean): void {
    const budget = this.#keys.get(this.#hash)?.budget;
    if (isGivenUp) budget?.charge(this.#reserved, Math.max(this.#reserved, reads));
    else if (this.#reserved > 0) budget?.end(this.#reserved, reads);
  }
}
