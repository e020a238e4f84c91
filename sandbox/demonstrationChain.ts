// The chain of the demonstration: the confirmed attestations are on it, the pending ones are not.

import { attestationRecord, DEMONSTRATION_PROGRAM } from './attestationRecord.ts';
import { DEMONSTRATION_ATTESTATIONS } from './demonstrationData.ts';
import { TestChain } from './testChain.ts';

/** @param preferredPort the port; when it is taken, or left out, a free one is chosen */
export async function startDemonstrationChain(preferredPort = 0): Promise<TestChain> {
  const chain = await TestChain.start(preferredPort).catch(() => TestChain.start());
  for (const { onChainAddress, status } of DEMONSTRATION_ATTESTATIONS.map(attestationRecord)) {
    if (status === 'confirmed') chain.setAccount(onChainAddress, DEMONSTRATION_PROGRAM);
  }
  return chain;
}
