// The command `smoke`: checks a deployment's responses against the contract.

import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { Failure, usageFailure } from '../../terminal/failure.ts';
import { note, print, printJson, printTable } from '../frame/output.ts';
import { currentRun } from '../frame/run.ts';
import { endpointOf } from './checks.ts';
import type { SmokeReport } from './run.ts';

interface SmokeFlags {
  readonly url: URL;
  readonly keyFile?: string;
  readonly keys?: string;
  readonly json?: boolean;
}

export function addSmokeCommand(program: Command): void {
  program
    .command('smoke')
    .description(
      'request each error and one lookup of a deployment, and report what is not as promised',
    )
    .requiredOption('--url <base>', 'the address in front of /pohAttestationsEndpoint', parseUrl)
    .option('--key-file <file>', 'a file with an API key: what needs one is requested too')
    .option(
      '--keys <file or url>',
      'the public keys of signatures (default: those served below the address, else those here)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit status: 0 all as promised, 1 differences or no response, 2 usage.',
    )
    .action(async ({ url, keyFile, keys, json }: SmokeFlags) => {
      const key = keyFile === undefined ? undefined : await readKeyFile(keyFile);
      const { runSmoke } = await import('./run.ts');
      const report = await runSmoke(endpointOf(url), key, keys);
      await (json ? printJson(report) : printReport(report, key !== undefined));
      if (!report.ok) currentRun().exitStatus = 1;
    });
}

async function printReport(report: SmokeReport, hasKey: boolean): Promise<void> {
  const { url, checks, notAsked, firstMs, warmMs, ok } = report;
  note(url);
  await printTable(
    ['REQUEST', 'EXPECTED', 'MS', 'RESULT'],
    checks.map(({ name, expected, ms, differences }) => [
      name,
      expected,
      String(ms),
      differences.join('; ') || 'as expected',
    ]),
  );
  await print(`First request ${firstMs} ms, warm ${warmMs} ms (median).\n`);
  note(
    hasKey
      ? `Not requested, since no well-formed request causes it: ${notAsked.join(', ')}.`
      : `Not requested without --key-file: a lookup, and ${notAsked.join(', ')}.`,
  );
  if (ok) return;
  note(
    hasKey && isKeyRefused(checks)
      ? 'The key of --key-file was refused: it is revoked, or not of this deployment. Use a current one.'
      : 'This deployment differs from this checkout: deploy it again, or roll back.',
  );
}

/** Whether all that differs is that a request with the key gets a 401. */
const isKeyRefused = (checks: SmokeReport['checks']): boolean =>
  checks.every(({ differences: [first = 'status 401'] }) => first.startsWith('status 401'));

async function readKeyFile(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Failure(`The key file ${file} cannot be read: check the name and its permissions.`, {
      cause,
    });
  });
  const key = text.trim();
  // Not repeated in the message: it may be a key all the same.
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageFailure(`${file} is not one key on one line.`);
  return key;
}

function parseUrl(value: string): URL {
  const url = URL.parse(value);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidArgumentError('It is not an http or https address.');
  }
  if (url.search || url.hash) throw new InvalidArgumentError('It must end before the query.');
  return url;
}
