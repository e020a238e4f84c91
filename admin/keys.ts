// The group `keys`: create, list, rotate and revoke API keys (specification, 2.5 and 5).

import type { Command } from 'commander';
import { openTarget } from './target.ts';

export function addKeysGroup(program: Command): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys');

  keys
    .command('list')
    .description('list all keys; a key itself is never stored and so never shown')
    .option('--json', 'print JSON')
    .action(async (_options: { json?: boolean }, command: Command) => {
      await using target = await openTarget(command);
      console.log((await target.db.collection('apiKeys').get()).size);
    });
}
