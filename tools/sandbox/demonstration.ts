// Writes the demonstration data into the emulators, and onto a test chain.

import { attestationRecord, DEMONSTRATION_PROGRAM } from './attestationRecord.ts';
import { DEMONSTRATION, DEMONSTRATION_ATTESTATIONS } from './demonstrationData.ts';
import { openEmulators } from './openEmulators.ts';
import { writeAccount, writeAdmin, writeApiKey, writeAttestation, writeToken } from './seeding.ts';
import { TestChain } from './testChain.ts';

export async function writeDemonstration(): Promise<void> {
  const { db, auth } = openEmulators();
  const { key, revokedKey, wallet, email, token, revokedToken, expiredToken, password } =
    DEMONSTRATION;
  const { neverVotedEmail, neverVotedWallet, unattestedEmail, unattestedWallet } = DEMONSTRATION;
  const { disabledEmail, disabledWallet, disabledToken } = DEMONSTRATION;
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  await Promise.all([
    writeApiKey(db, key, 'Demonstration DAO'),
    writeApiKey(db, revokedKey, 'Former DAO', { active: false }),
    ...DEMONSTRATION_ATTESTATIONS.map((fields) => writeAttestation(db, fields)),
    writeAccount(auth, email, { wallet }, password),
    writeAccount(auth, DEMONSTRATION.walletlessEmail, {}, password),
    writeAccount(auth, DEMONSTRATION.adminEmail, {}, password).then((uid) =>
      writeAdmin(db, uid, DEMONSTRATION.adminEmail),
    ),
    writeToken(db, token, wallet),
    writeToken(db, revokedToken, wallet, { revoked: true }),
    writeToken(db, expiredToken, wallet, { createdAt: twoDaysAgo }),
    writeAccount(auth, neverVotedEmail, { wallet: neverVotedWallet }),
    writeAccount(auth, unattestedEmail, { wallet: unattestedWallet }),
    writeAccount(auth, disabledEmail, { wallet: disabledWallet }).then((uid) =>
      auth.updateUser(uid, { disabled: true }),
    ),
    writeToken(db, disabledToken, disabledWallet),
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
