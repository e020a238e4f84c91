// The group `answers`: verifying a signed response that was saved as evidence.

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseExchange, type SavedExchange } from '../../signatures/exchange.ts';
import type { PublicKey } from '../../signatures/publicKeySet.ts';
import { REFUSALS, verifyExchange } from '../../signatures/verify.ts';
import { Failure, usageFailure } from '../../terminal/failure.ts';
import { print } from '../frame/output.ts';
import { DEFAULT_KEY_SET, parseKeySet, readKeySet } from './publicKeySet.ts';

const MODES = ['wallet', 'email', 'token'];
const FETCH_TIMEOUT_MS = 10_000;

export function addAnswersGroup(program: Command): void {
  program
    .command('answers')
    .description('verify signed responses that were saved as evidence')
    .command('verify')
    .description('verify that a saved response was signed by the service, or say why not')
    .argument('<file>', "a line with the request's URL, then what `curl -i` saved")
    .option('--keys <file or url>', 'the set of public keys', DEFAULT_KEY_SET)
    .addHelpText(
      'after',
      '\nExit status: 0 valid, 1 not valid, 2 usage, or a file that is not a saved response.',
    )
    .action(async (file: string, { keys }: { keys: string }) => {
      const exchange = readExchange(file);
      const verification = verifyExchange(exchange, await readKeys(keys), { nowMs: Date.now() });
      if (!verification.valid) throw new Failure(REFUSALS[verification.refusal]);
      const { createdAt, keyId } = verification;
      await print(
        `valid: signed ${createdAt.toISOString()} by ${keyId} for ${lookupOf(exchange)}\n`,
      );
    });
}

function readExchange(file: string): SavedExchange {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw usageFailure(`${file} cannot be read: name a file with a saved response.`, cause);
  }
  const exchange = parseExchange(bytes);
  if (exchange) return exchange;
  throw usageFailure(
    `${file} is not a saved response: its first line is the URL of the request, and what \`curl -i\` printed follows.`,
  );
}

async function readKeys(source: string): Promise<readonly PublicKey[]> {
  if (!/^https?:\/\//.test(source)) return readKeySet(source).keys;
  try {
    const response = await fetch(source, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return parseKeySet(await response.text(), source).keys;
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw usageFailure(
      `The public keys cannot be fetched from ${source}: check the address.`,
      cause,
    );
  }
}

/** As in "a lookup by token: hasVerifiedHuman true, votedCount 2, supportedCount 1". */
function lookupOf({ query, body }: SavedExchange): string {
  const parameters = new URLSearchParams(query);
  const mode = MODES.find((name) => parameters.get(name)) ?? 'nobody';
  const { hasVerifiedHuman, votedCount, supportedCount } = JSON.parse(body.toString('utf8'));
  return `a lookup by ${mode}: hasVerifiedHuman ${hasVerifiedHuman}, votedCount ${votedCount}, supportedCount ${supportedCount}`;
}
