// The demonstration's chain. It has the confirmed attestations but not the pending ones.

import { attestationRecord, DEMONSTRATION_PROGRAM } from './attestationRecord.ts';
import { DEMONSTRATION_ATTESTATIONS } from './demonstrationData.ts';
import { TestChain } from './testChain.ts';

/** @param preferredPort a free port is used if this one is taken or omitted */
export async function startDemonstrationChain(preferredPort = 0): Promise<TestChain> {
  const chain = await TestChain.start(preferredPort).catch(() => TestChain.start());
  for (const { onChainAddress, status } of DEMONSTRATION_ATTESTATIONS.map(attestationRecord)) {
    if (status === 'confirmed') chain.setAccount(onChainAddress, DEMONSTRATION_PROGRAM);
  }
  return chain;
}
