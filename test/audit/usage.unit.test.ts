// Tests the command lines that `attestations audit` and `attestations repair` refuse before they read anything.

import { expect, test } from 'vitest';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { runAdmin } from '../admin/adminCommand.ts';

const CHAIN = ['--rpc', 'http://127.0.0.1:1', '--program', DEMONSTRATION_PROGRAM];
const REPAIR = [...CHAIN, '--ready-to-confirm'];

test.each([
  ['audit', ['--program', DEMONSTRATION_PROGRAM], '--rpc'],
  ['audit', ['--rpc', 'http://127.0.0.1:1'], '--program'],
  ['audit', [...CHAIN, '--rpc', 'devnet'], 'http or https'],
  ['audit', [...CHAIN, '--rpc', 'ws://127.0.0.1'], 'http or https'],
  ['audit', [...CHAIN, '--rpc', 'http://user@127.0.0.1'], 'a user name or a password'],
  ['audit', [...CHAIN, '--rpc', 'http://:password@127.0.0.1'], 'a user name or a password'],
  ['audit', [...CHAIN, '--program', '0OIl'], 'base58'],
  ['audit', [...CHAIN, '--wallet', 'abc'], 'base58'],
  ['audit', [...CHAIN, '--cluster', 'testnet'], 'devnet, mainnet-beta, or a genesis hash'],
  ['audit', [...CHAIN, '--max-sync-hours', '-1'], 'not a whole number'],
  ['audit', [...CHAIN, '--both-ways', '--wallet', DEMONSTRATION_PROGRAM], 'cannot be limited'],
  ['audit', [...CHAIN, '--try-both-ways', '--wallet', DEMONSTRATION_PROGRAM], 'cannot be limited'],
  ['audit', [...CHAIN, '--fix'], '--fix'],
  ['repair', CHAIN, 'Name what to repair'],
  ['repair', [...CHAIN, '--missing-on-chain', '--apply'], 'add --delete to --apply'],
  ['repair', [...CHAIN, '--duplicate', '--apply'], 'add --delete to --apply'],
  ['repair', [...REPAIR, '--max', 'abc'], 'not a whole number'],
  ['repair', [...REPAIR, '--max', '1.5'], 'not a whole number'],
  ['repair', [...REPAIR, '--max', '9'.repeat(17)], 'not a whole number'],
  ['repair', [...REPAIR, '--accept-warning', 'unreadable'], 'one of ready_to_confirm, missing_on'],
])('%s %j is a usage error', async (command, words, named) => {
  const { status, stdout, stderr } = await runAdmin(['attestations', command, ...words]);
  expect(stderr).toContain(named);
  expect(status).toBe(2);
  expect(stdout).toBe('');
});
