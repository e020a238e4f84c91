// The group `signing-keys`: the keys that sign responses (RFC 9421), and the file of the public ones (JWK Set, RFC 7517).
// It never stores a private key.

import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type PublicKey,
  type PublicKeySet,
  publicKeySetSchema,
} from '../../functions/src/signatures/publicKeySet.ts';
import { isRetired, publicKeyOf, SIGNING_SECRET } from '../../functions/src/signatures/sign.ts';
import { parseInstant, readInput } from '../frame/input.ts';
import { isoTime, note, printSecret } from '../frame/output.ts';
import type { AdminCommand } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { parseJson } from '../terminal/parseJson.ts';

/** The set that is built into the function and served by Hosting. */
export const DEFAULT_KEY_SET = relative(
  process.cwd(),
  fileURLToPath(new URL('../../functions/src/signatures/publicKeys.json', import.meta.url)),
);

interface SetOption {
  readonly keys: string;
}

export function addSigningKeysGroup(program: AdminCommand): void {
  const signingKeys = program
    .command('signing-keys')
    .description('create and retire the keys that sign responses, and mark leaked ones');
  const command = (name: string, description: string) =>
    signingKeys
      .command(name)
      .description(description)
      .option('--keys <file>', 'the set of public keys', DEFAULT_KEY_SET);

  command('create', 'print a new private key, and add its public key to the set')
    .example('signing-keys create --keys keys.json > private-key.pem')
    .action(create);

  command('retire', 'mark a key as retired; its earlier signatures stay valid')
    .argument('<id>', 'the `kid` of the key in the set')
    .example('signing-keys retire KID')
    .action((id: string, { keys: file }: SetOption) => {
      const { key, replace } = findKey(file, id);
      if (isRetired(key)) return note(`Key ${id} was already retired. Nothing was changed.`);
      replace(
        { ...key, exp: seconds() },
        `Key ${id} is retired. Deploy Hosting to tell verifiers.`,
      );
    });

  command(
    'compromise',
    'mark a key as leaked; its signatures count only with proof that they are older than the leak',
  )
    .argument('<id>', 'the `kid` of the key in the set')
    .requiredOption('--since <time>', 'the earliest time of the leak (required)', parseInstant)
    .example('signing-keys compromise KID --since 2026-11-20')
    .action(markAsLeaked);
}

async function create({ keys: file }: SetOption): Promise<void> {
  const set = readKeySet(file);
  const { privateKey, key } = generateKey();
  const { kid } = key;
  const made = { ...key, use: 'sig', nbf: seconds() } as const;
  // Written first, because a signing key must never be missing from the set.
  writeKeySet(file, [...set.keys, made]);
  const lost = `is lost. Undo this with \`signing-keys retire ${kid}\`, then create another key.`;
  note(
    `Key ${kid} is in ${file}. Deploy Hosting before the function signs with it.\n` +
      `The private key is shown only once. Pipe it into gcloud secrets versions add ${SIGNING_SECRET}.\n` +
      `If that fails, the private key ${lost}`,
  );
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await printSecret(pem, `The private key could not be printed and ${lost}`);
}

function markAsLeaked(id: string, { keys: file, since }: SetOption & { since: number }) {
  if (since > Date.now())
    throw usageFailure('--since is in the future. Give the time of the leak.');
  const { key, replace } = findKey(file, id);
  const at = Math.floor(since / 1000);
  const before = key.revoked?.revoked_at ?? Infinity;
  if (before <= at) {
    const leaked = isoTime(before * 1000);
    return note(`Key ${id} is already marked as leaked since ${leaked}. Nothing was changed.`);
  }
  const exp = Math.min(at, key.exp ?? at);
  replace(
    { ...key, exp, revoked: { revoked_at: at, reason: 'compromised' } },
    `Key ${id} is marked as leaked since ${isoTime(at * 1000)}. Deploy Hosting immediately.\n` +
      'Earlier responses stay valid only for those who can prove that they had them before that time.',
  );
}

/** Generates a key whose id does not begin like an option, because other commands take it as an argument. */
export function generateKey() {
  for (;;) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = publicKeyOf(privateKey);
    if (!key.kid.startsWith('-')) return { privateKey, key };
  }
}

/** @returns the key, and a function that replaces it in the file and says so */
function findKey(file: string, id: string) {
  const { keys } = readKeySet(file);
  const key = keys.find(({ kid }) => kid === id);
  if (!key) throw new Failure(`No key in ${file} has the kid ${id}.`);
  const replace = (changed: PublicKey, done: string): void => {
    writeKeySet(file, keys.with(keys.indexOf(key), changed));
    note(done);
    if (keys.some((one) => one !== key && !isRetired(one))) return;
    note(
      'No other key is active. Deploy the function immediately too, because verifiers refuse what it still signs. ' +
        'To go on signing, run `signing-keys create` first.',
    );
  };
  return { key, replace };
}

/** @throws Failure (exit status 2) unless the file is a valid set */
export function readKeySet(file: string): PublicKeySet {
  const set = publicKeySetSchema.safeParse(parseJson(readInput(file)));
  if (set.success) return set.data;
  throw usageFailure(
    `${file} is not a JWK Set of Ed25519 keys with distinct ids. Restore it from the Git history.`,
    set.error,
  );
}

const writeKeySet = (file: string, keys: readonly PublicKey[]): void =>
  writeFileSync(file, `${JSON.stringify({ keys }, null, 2)}\n`);

const seconds = (): number => Math.floor(Date.now() / 1000);
