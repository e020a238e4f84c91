// The group `responses`, which verifies signed responses that were saved as evidence.

import type { Command } from 'commander';
import { MODES } from '../../functions/src/lookup/subject.ts';
import { parseExchange, type SavedExchange } from '../../functions/src/signatures/exchange.ts';
import { REFUSALS, verifyExchange } from '../../functions/src/signatures/verify.ts';
import { readInput } from '../frame/input.ts';
import { parseInstant } from '../frame/instant.ts';
import { print } from '../frame/output.ts';
import { escapeForTerminal } from '../terminal/escape.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { DEFAULT_KEY_SET, readKeySetFrom } from './publicKeySet.ts';

interface VerifyFlags {
  readonly keys: string;
  readonly keptSince?: number;
}

export function addResponsesGroup(program: Command): void {
  program
    .command('responses')
    .description('verify signed responses that were saved as evidence')
    .command('verify')
    .description('check that a saved response was signed by the service; if not, say why')
    .argument('<file>', "a line with the request's URL, then what `curl -i` saved")
    .option('--keys <file or url>', 'the set of public keys', DEFAULT_KEY_SET)
    .option(
      '--kept-since <time>',
      'the earliest time at which the file provably existed; needed if its key has leaked since',
      parseInstant,
    )
    .addHelpText(
      'after',
      '\nExit status: 0 valid, 1 not valid, 2 usage error, or the file is not a saved response.',
    )
    .action(async (file: string, { keys: source, keptSince }: VerifyFlags) => {
      const exchange = readExchange(file);
      const { keys } = await readKeySetFrom(source);
      const times = { nowMs: Date.now(), keptSinceMs: keptSince };
      const verification = verifyExchange(exchange, keys, times);
      if (!verification.valid) throw new Failure(REFUSALS[verification.refusal]);
      const { createdAt, keyId } = verification;
      await print(
        `valid: signed ${createdAt.toISOString()} by ${keyId} for ${lookupOf(exchange)}\n` +
          `requested: ${escapeForTerminal(exchange.url)} (the signature covers only the query, not the host)\n`,
      );
    });
}

function readExchange(file: string): SavedExchange {
  const exchange = parseExchange(readInput(file, 'Name a file with a saved response.'));
  if (exchange) return exchange;
  throw usageFailure(
    `${file} is not a saved response. Its first line must be the URL of the request, followed by the output of \`curl -i\`.`,
  );
}

/** Describes a lookup, as in "a lookup by token: hasVerifiedHuman true, votedCount 2, supportedCount 1". */
function lookupOf({ query, body }: SavedExchange): string {
  const parameters = new URLSearchParams(query);
  const mode = MODES.find((name) => parameters.get(name)) ?? 'nobody';
  const { hasVerifiedHuman, votedCount, supportedCount } = JSON.parse(body.toString('utf8'));
  return `a lookup by ${mode}: hasVerifiedHuman ${hasVerifiedHuman}, votedCount ${votedCount}, supportedCount ${supportedCount}`;
}
