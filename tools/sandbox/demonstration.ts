// Writes the demonstration data into the emulators, and onto a test chain.

import { attestationRecord, DEMONSTRATION_PROGRAM } from './attestationRecord.ts';
import { DEMONSTRATION as D, DEMONSTRATION_ATTESTATIONS } from './demonstrationData.ts';
import { openEmulators } from './openEmulators.ts';
import { writeAccount, writeAdmin, writeApiKey, writeAttestation, writeToken } from './seeding.ts';
import { TestChain } from './testChain.ts';

export async function writeDemonstration(): Promise<void> {
  const { auth } = openEmulators();
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  await Promise.all([
    writeApiKey(D.key, 'Demonstration DAO'),
    writeApiKey(D.revokedKey, 'Former DAO', { active: false }),
    ...DEMONSTRATION_ATTESTATIONS.map((fields) => writeAttestation(fields)),
    writeAccount(D.email, { wallet: D.wallet }, D.password),
    writeAccount(D.walletlessEmail, {}, D.password),
    writeAccount(D.adminEmail, {}, D.password).then((uid) => writeAdmin(uid, D.adminEmail)),
    writeToken(D.token, D.wallet),
    writeToken(D.revokedToken, D.wallet, { revoked: true }),
    writeToken(D.expiredToken, D.wallet, { createdAt: twoDaysAgo }),
    writeAccount(D.neverVotedEmail, { wallet: D.neverVotedWallet }),
    writeAccount(D.unattestedEmail, { wallet: D.unattestedWallet }),
    writeAccount(D.disabledEmail, { wallet: D.disabledWallet }).then((uid) =>
      auth.updateUser(uid, { disabled: true }),
    ),
    writeToken(D.disabledToken, D.disabledWallet),
  ]);
}

/**
 * Starts a chain that has the confirmed attestations but not the pending ones.
 *
 * @param preferredPort a free port is used if this one is taken or omitted
 */
export async function startDemonstrationChain(preferredPort = 0): Promise<TestChain> {
  const chain = await TestChain.start(preferredPort).catch(() => TestChain.start());
  for (const { onChainAddress, status } of DEMONSTRATION_ATTESTATIONS.map(attestationRecord)) {
    if (status === 'confirmed') chain.setAccount(onChainAddress, DEMONSTRATION_PROGRAM);
  }
  return chain;
}
