// The group `signing-keys`: the keys that sign responses (RFC 9421). The private one is never stored here.

import { generateKeyPairSync } from 'node:crypto';
import type { Command } from 'commander';
import { isRetired, publicBytesOf, thumbprint } from '../../signatures/publicKeys.ts';
import { SIGNING_SECRET } from '../../signatures/sign.ts';
import { Failure } from '../../terminal/failure.ts';
import { isoTime, minute, note, printJson, printSecret, printTable } from '../frame/output.ts';
import { DEFAULT_KEY_SET, readKeySet, writeKeySet } from './publicKeySet.ts';

interface SetOption {
  readonly keys: string;
}

export function addSigningKeysGroup(program: Command): void {
  const signingKeys = program
    .command('signing-keys')
    .description('create, list and retire the keys that sign responses');
  const command = (name: string, description: string): Command =>
    signingKeys
      .command(name)
      .description(description)
      .option('--keys <file>', 'the set of public keys', DEFAULT_KEY_SET);

  command('create', 'print a new private key alone, and add its public key to the set').action(
    async ({ keys: file }: SetOption) => {
      const set = readKeySet(file);
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const x = publicBytesOf(publicKey);
      const kid = thumbprint(x);
      const made = { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', nbf: seconds() } as const;
      // Written first: a key that signs must never be missing from the set.
      writeKeySet(file, { keys: [...set.keys, made] });
      note(`Key ${kid} is in ${file}. Deploy Hosting before the function signs with it.`);
      note(
        `The private key is shown this once: pipe it into functions:secrets:set ${SIGNING_SECRET}.`,
      );
      await printSecret(String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    },
  );

  command('list', 'list the public keys of the set')
    .option('--json', 'print JSON')
    .action(async ({ keys: file, json }: SetOption & { json?: boolean }) => {
      const { keys } = readKeySet(file);
      const rows = keys.map((key) => ({
        id: key.kid,
        createdAt: isoTime(milliseconds(key.nbf)),
        retiredAt: isoTime(milliseconds(key.exp)),
      }));
      if (json) await printJson(rows);
      else if (rows.length === 0) note(`There are no keys in ${file}: responses are not signed.`);
      else {
        await printTable(
          ['CREATED (UTC)', 'RETIRED (UTC)', 'ID'],
          keys.map(({ kid, nbf, exp }) => [
            minute(milliseconds(nbf)),
            minute(milliseconds(exp)),
            kid,
          ]),
        );
      }
    });

  command('retire', 'mark a key as retired: what it signed before can still be verified')
    .argument('<id>', 'the id that `signing-keys list` shows')
    .action(async (id: string, { keys: file }: SetOption) => {
      const set = readKeySet(file);
      const key = set.keys.find(({ kid }) => kid === id);
      if (!key) throw new Failure(`No key in ${file} has the id ${id}: see \`signing-keys list\`.`);
      if (isRetired(key)) {
        note(`Key ${id} was retired already: nothing was changed.`);
        return;
      }
      const retired = { ...key, exp: seconds() };
      writeKeySet(file, { keys: set.keys.map((one) => (one === key ? retired : one)) });
      note(`Key ${id} is retired. Deploy Hosting, so that verifiers see it.`);
    });
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const milliseconds = (time: number | undefined): number | undefined =>
  time === undefined ? undefined : time * 1000;
