// The clusters of Solana by the hash of their first block (`solana genesis-hash`).

export const CLUSTERS: ReadonlyMap<string, string> = new Map([
  ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
  ['mainnet-beta', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
]);

/** The cluster of the attestations, unless another is named (specification, 1.3). */
export const DEFAULT_CLUSTER = 'devnet';
