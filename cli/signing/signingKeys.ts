// The group `signing-keys`: the keys that sign responses (RFC 9421). It never stores a private key.

import { generateKeyPairSync } from 'node:crypto';
import type { PublicKey } from '../../functions/src/signatures/publicKeySet.ts';
import { isRetired, publicBytesOf, thumbprint } from '../../functions/src/signatures/publicKeys.ts';
import { SIGNING_SECRET } from '../../functions/src/signatures/sign.ts';
import { parseInstant } from '../frame/input.ts';
import { isoTime, note, printSecret } from '../frame/output.ts';
import type { AdminCommand } from '../frame/target.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { DEFAULT_KEY_SET, readKeySet, writeKeySet } from './keySetFile.ts';

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
    .action(async ({ keys: file }: SetOption) => {
      const set = readKeySet(file);
      const { privateKey, x, kid } = generateKey();
      const made = { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', nbf: seconds() } as const;
      // Written first, because a signing key must never be missing from the set.
      writeKeySet(file, { keys: [...set.keys, made] });
      note(`Key ${kid} is in ${file}. Deploy Hosting before the function signs with it.`);
      note(
        `The private key is shown only once. Pipe it into gcloud secrets versions add ${SIGNING_SECRET}.`,
      );
      const lost = `is lost. Undo this with \`signing-keys retire ${kid}\`, then create another key.`;
      note(`If that fails, the private key ${lost}`);
      const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
      await printSecret(pem, `The private key could not be printed and ${lost}`);
    });

  command('retire', 'mark a key as retired; its earlier signatures stay valid')
    .argument('<id>', 'the `kid` of the key in the set')
    .example('signing-keys retire KID')
    .action(async (id: string, { keys: file }: SetOption) => {
      const { key, replace, isLast } = findKey(file, id);
      if (isRetired(key)) {
        note(`Key ${id} was already retired. Nothing was changed.`);
        return;
      }
      replace({ ...key, exp: seconds() });
      note(`Key ${id} is retired. Deploy Hosting to tell verifiers.`);
      if (isLast) {
        note(
          'No other key is active. Deploy the function immediately too, because verifiers refuse what it still signs.',
        );
      }
    });

  command(
    'compromise',
    'mark a key as leaked; its signatures count only with proof that they are older than the leak',
  )
    .argument('<id>', 'the `kid` of the key in the set')
    .requiredOption('--since <time>', 'the earliest time of the leak (required)', parseInstant)
    .example('signing-keys compromise KID --since 2026-11-20')
    .action(async (id: string, { keys: file, since }: SetOption & { since: number }) => {
      if (since > Date.now())
        throw usageFailure('--since is in the future. Give the time of the leak.');
      const { key, replace, isLast } = findKey(file, id);
      const at = Math.floor(since / 1000);
      const before = key.revoked?.revoked_at;
      if (before !== undefined && before <= at) {
        note(`Key ${id} is already marked as leaked since ${isoOf(before)}. Nothing was changed.`);
        return;
      }
      const exp = Math.min(at, key.exp ?? at);
      replace({ ...key, exp, revoked: { revoked_at: at, reason: 'compromised' } });
      note(`Key ${id} is marked as leaked since ${isoOf(at)}. Deploy Hosting immediately.`);
      note(
        'Earlier responses stay valid only for those who can prove that they had them before that time.',
      );
      if (isLast) {
        note('No other key is active. Run `signing-keys create`, then deploy the function too.');
      }
    });
}

/** Generates a key whose id does not begin like an option, because other commands take it as an argument. */
export function generateKey() {
  for (;;) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const x = publicBytesOf(publicKey);
    const kid = thumbprint(x);
    if (!kid.startsWith('-')) return { privateKey, x, kid };
  }
}

/** @returns the key, a function that replaces it in the file, and whether no other key is active */
function findKey(file: string, id: string) {
  const { keys } = readKeySet(file);
  const key = keys.find(({ kid }) => kid === id);
  if (!key) throw new Failure(`No key in ${file} has the kid ${id}.`);
  const replace = (changed: PublicKey): void =>
    writeKeySet(file, { keys: keys.map((one) => (one === key ? changed : one)) });
  const isLast = keys.every((one) => one === key || isRetired(one));
  return { key, replace, isLast };
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const isoOf = (time: number | undefined): string | null => isoTime(time && time * 1000);
