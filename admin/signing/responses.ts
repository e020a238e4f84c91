// The group `responses`, which verifies signed responses that were saved as evidence.

import type { Command } from 'commander';
import { InvalidEvidence } from '../../clients/typescript/evidence.ts';
import { MODES } from '../../functions/src/subject.ts';
import { parseInstant, readInput } from '../frame/input.ts';
import { print } from '../frame/output.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { DEFAULT_KEY_SET, readVerifyingKeys } from './publicKeySet.ts';
import { parseSavedResponse, type SavedResponse, verifySavedResponse } from './savedResponse.ts';

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
    .argument(
      '<file>',
      "evidence as JSON, or a line with the request's URL, then what `curl -i` saved",
    )
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
    .action(verify);
}

async function verify(file: string, { keys: source, keptSince }: VerifyFlags): Promise<void> {
  const saved = parseSavedResponse(readInput(file, 'Name a file with a saved response.'));
  if (!saved) {
    throw usageFailure(
      `${file} is not a saved response. It must be evidence as a client stores it, or a line with the URL of the request, followed by the output of \`curl -i\`.`,
    );
  }
  const keys = await readVerifyingKeys(source);
  try {
    const moment = keptSince === undefined ? undefined : new Date(keptSince);
    const signedAt = verifySavedResponse(saved, keys, moment);
    const [, keyId] = /keyid="([^"]+)"/.exec(saved.evidence.signatureInput) ?? [];
    await print(
      `valid: signed ${signedAt.toISOString()} by ${keyId} for ${lookupOf(saved)}\n` +
        `requested: ${escapeForTerminal(saved.evidence.url)} (the signature covers only the query, not the host)\n`,
    );
  } catch (error) {
    if (!(error instanceof InvalidEvidence)) throw error;
    const advice = error.reason === 'key_leaked' ? ' The option for it is --kept-since.' : '';
    throw new Failure(`${error.reason}: ${error.message}${advice}`);
  }
}

/** Describes a lookup, as in "a lookup by token: hasVerifiedHuman true, votedCount 2, supportedCount 1". */
function lookupOf({ evidence: { url, body } }: SavedResponse): string {
  const parameters = new URLSearchParams(url.split('?').slice(1).join('?'));
  const mode = MODES.find((name) => parameters.get(name)) ?? 'nobody';
  const { hasVerifiedHuman, votedCount, supportedCount } = JSON.parse(body);
  return `a lookup by ${mode}: hasVerifiedHuman ${hasVerifiedHuman}, votedCount ${votedCount}, supportedCount ${supportedCount}`;
}
