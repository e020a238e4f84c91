// The command `smoke`: checks a deployment's responses against the contract.

import { parseServer, readInput } from '../frame/input.ts';
import { note, printTable } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import type { AdminCommand } from '../frame/target.ts';
import { usageFailure } from '../terminal/failure.ts';
import type { SmokeReport } from './smokeRun.ts';

interface SmokeFlags {
  readonly url: URL;
  readonly keyFile?: string;
}

export function addSmokeCommand(program: AdminCommand): void {
  program
    .command('smoke')
    .description(
      'check the errors and one lookup of a deployment, and report differences from the contract',
    )
    .requiredOption(
      '--url <base>',
      'the address of the site or the function (required)',
      parseServer,
    )
    .option('--key-file <file>', 'a file with an API key, to check requests that need one too')
    .addHelpText('after', '\nExit status: 0 no differences, 1 differences or no response, 2 usage.')
    .example('smoke --url https://SITE --key-file key.txt')
    .action(async ({ url, keyFile }: SmokeFlags) => {
      const key = keyFile === undefined ? undefined : readKeyFile(keyFile);
      const { runSmoke } = await import('./smokeRun.ts');
      const report = await runSmoke(url, key);
      await printReport(report, key !== undefined);
      if (!report.ok) currentRun().exitStatus = 1;
    });
}

async function printReport(report: SmokeReport, hasKey: boolean): Promise<void> {
  const { url, checks, publicKeys, ok } = report;
  note(url);
  await printTable(checks, {
    REQUEST: ({ name }) => name,
    EXPECTED: ({ expected }) => expected,
    MS: ({ ms }) => String(ms),
    RESULT: ({ differences }) => differences.join('; ') || 'as expected',
  });
  if (!hasKey) note('Without --key-file, no lookup and none of its errors was requested.');
  if (publicKeys !== null) note(`Public keys for the signature: ${publicKeys}`);
  if (ok) return;
  const isKeyRefused = checks.some(
    ({ expected, differences: [first = ''] }) =>
      expected === 'ok' && first.startsWith('status 401'),
  );
  note(
    isKeyRefused
      ? 'The key of --key-file was refused. It is revoked or belongs to another deployment. Use an active key.'
      : 'The deployment differs from this checkout. Deploy it again, or roll back.',
  );
}

function readKeyFile(file: string): string {
  const key = readInput(file, 'Check its name and permissions.').trim();
  // The message does not repeat the text, which may still be a key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageFailure(`${file} is not one key on one line.`);
  return key;
}
