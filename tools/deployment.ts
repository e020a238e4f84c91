// What the pages of both sites know of the deployment that they are built for.

import { readFileSync } from 'node:fs';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

/** Who runs the service: their name, and the addresses of their help and privacy statement. Each may be empty. */
export type Operator = Readonly<Record<'name' | 'help' | 'privacy', string>>;

/** @throws Error when operator.json has an address that a link cannot have */
export function readOperator(): Operator {
  const operator: Operator = read('operator.json');
  for (const field of ['help', 'privacy'] as const) {
    if (!/^(https:|mailto:|$)/.test(operator[field]))
      throw new Error(`"${field}" in operator.json must begin with https: or mailto:, or be empty`);
  }
  return operator;
}

/** The addresses of the platform's sites. */
export interface Addresses {
  readonly site?: string;
  readonly console?: string;
}

/** Reads the addresses from .firebaserc, where `firebase target:apply` writes the names of the project's sites. */
export function deployedAddresses(): Addresses {
  const { targets } = read('.firebaserc');
  // firebase-tools sets the variable for commands that it runs before a deployment.
  const names: object = targets?.[process.env['GCLOUD_PROJECT'] ?? '']?.hosting ?? {};
  return Object.fromEntries(
    Object.entries(names).map(([target, [name]]) => [target, `https://${name}.web.app`]),
  );
}
