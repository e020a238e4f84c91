#!/usr/bin/env node
// The package's command, which looks up files of voters and verifies stored evidence. It needs Node.

import { parseArgs } from 'node:util';
import { check } from './check.ts';
import { parseNumber } from './parameters.ts';
import { printable, verify } from './verify.ts';

const USAGE = `Usage: poh-attestations check FILE --out FILE [OPTIONS]
       poh-attestations verify FILE|FOLDER --keys KEYS [OPTIONS]

check looks up each row of a CSV file, and writes it with its result. Run it again after an interruption.
The operator's address is in the variable POH_URL, and the API key in POH_KEY. Other users of the machine do not see
variables, unlike options.

  FILE          CSV with a row of names, and a column "wallet", "email" or "token"
  --out         the file of results, with the row's number, its cells, and hasVerifiedHuman, walletMark, code, requestId
  --wallet, --email, --token
                the name of the column with the subjects, if it is another one
  --evidence    a folder, in which the evidence of each row is stored, by the number of the row
  --at-once     the number of lookups at once; by default 16

Exit status: 0 every row has a result or a code, 1 some have none, so run it again, 2 a file, an option or the key is wrong.

verify checks that the operator returned the responses that a client stored as evidence.

  FILE          the evidence as JSON, alone or as the member "evidence" of an object
  FOLDER        its files *.json
  --keys        the operator's public keys: its address, such as https://PROJECT.web.app, or a file with a JWK Set
  --kept-since  the earliest time at which the evidence provably existed, such as 2026-11-20T09:00:00Z; needed if its
                signing key has leaked since
  --json        prints each verdict as a line of JSON

Exit status: 0 valid, 1 not valid, 2 not verified, because an option, a file or an address is wrong.`;

const text = { type: 'string' } as const;
const OPTIONS = {
  verify: { keys: text, 'kept-since': text, json: { type: 'boolean' } },
  check: {
    ...{ out: text, evidence: text, 'at-once': text },
    ...{ wallet: text, email: text, token: text },
  },
} as const;

/** @returns the exit status @throws Error if nothing was checked or verified */
async function run([command, ...args]: string[]): Promise<number> {
  const settings = { args, allowPositionals: true } as const;
  if (command === 'verify') {
    const { values, positionals } = parseArgs({ ...settings, options: OPTIONS.verify });
    const [path = '', ...rest] = positionals;
    const { keys, json, 'kept-since': keptSince } = values;
    if (path && rest.length === 0 && keys !== undefined)
      return await verify(path, { keys, keptSince, json });
  }
  if (command === 'check') {
    const { values, positionals } = parseArgs({ ...settings, options: OPTIONS.check });
    const [file = '', ...rest] = positionals;
    const { out, evidence, 'at-once': number, ...columns } = values;
    const atOnce = number === undefined ? undefined : parseNumber('--at-once', Number(number), 1);
    if (file && rest.length === 0 && out !== undefined)
      return await check(file, { out, evidence, atOnce, columns });
  }
  throw new Error(USAGE);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  // Any other status could be taken for a verdict.
  const { message, cause } = Object(error);
  for (const line of `${cause?.message ?? message}`.split('\n')) console.error(printable(line));
  process.exitCode = 2;
}
