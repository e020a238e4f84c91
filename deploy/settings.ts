// The settings of one project, deploy/settings/ID.yaml: their schema, and the questions for what is missing. Everything else
// that a deployment needs (.env.ID, .firebaserc, the commands) is derived from them.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { usageFailure } from '../cli/terminal/failure.ts';
import { escapeForTerminal } from '../cli/terminal/table.ts';
import { parseWallet } from '../records/wallet.ts';

const ID = /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/;
const address = z.string().refine((text) => parseWallet(text) !== undefined, {
  error: 'must be 32 bytes in base58',
});
/** Hosting accepts no longer name of a site. */
const SITE_LENGTH = 30;
const site = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/,
    `must be a-z, 0-9 and -, and at most ${SITE_LENGTH}`,
  );
const link = z
  .string()
  .regex(/^(https:\/\/|mailto:)\S+$|^$/, 'must begin with https: or mailto:, or be empty');

const schema = z.strictObject({
  /** Of the database, which can never be changed. */
  location: z
    .string()
    .regex(/^([a-z]+-[a-z]+\d+|nam\d+|eur\d+)$/, 'must be a location, such as us-central1 or nam5'),
  /** Of the function and the scheduled job. */
  region: z.string().regex(/^[a-z]+-[a-z]+\d+$/, 'must be one region, such as us-central1'),
  billingAccount: z
    .string()
    .regex(/^[0-9A-F]{6}(-[0-9A-F]{6}){2}$/, 'must be like 012345-6789AB-CDEF01'),
  /** A month, in the currency of the billing account. */
  budget: z.int().positive(),
  /** Who gets the alerts, and the mails of the budget. */
  recipients: z.array(z.email()).min(1),
  sites: z.strictObject({ pages: site, console: site }),
  /** Who runs the service, for the pages to show. */
  operator: z.strictObject({ name: z.string().max(80), help: link, privacy: link }),
  /** The attestation program; empty if the mirror is not audited. */
  program: address.or(z.literal('')),
  /** Known to be verified, and looked up from outside; empty if there is none yet. */
  canary: z.strictObject({ wallet: address.or(z.literal('')), email: z.email().or(z.literal('')) }),
  /** Whether anybody may sign up for an account. */
  signUp: z.boolean(),
  maxInstances: z.int().min(1).max(1000),
  readsPerSecond: z.int().nonnegative(),
  verifiedEmailOnly: z.boolean(),
  /** OWNER/REPO whose workflow deploys; empty if none does. */
  github: z.string().regex(/^([\w.-]+\/[\w.-]+)?$/, 'must be OWNER/REPO, or empty'),
});
export type Settings = z.infer<typeof schema>;

const fileOf = (project: string, folder: string): string => join(folder, `${project}.yaml`);

/** @throws Failure (exit status 2) unless it is the id of a project */
export function parseProject(id: string): string {
  if (ID.test(id)) return id;
  throw usageFailure(
    `${escapeForTerminal(id)} is not the id of a project, which has 6 to 30 of a-z, 0-9 and -. Check --project.`,
  );
}

/** The settings of a project, of which the file may not exist yet or lack some. */
function readFile(project: string, folder: string): Record<string, unknown> {
  if (!existsSync(fileOf(project, folder))) return {};
  try {
    return z
      .record(z.string(), z.unknown())
      .parse(parse(readFileSync(fileOf(project, folder), 'utf8')) ?? {});
  } catch (cause) {
    throw usageFailure(
      `deploy/settings/${project}.yaml is not YAML with one setting a line. Correct it. Nothing was done.`,
      cause,
    );
  }
}

const problemsOf = (raw: unknown, under = ''): string[] =>
  (
    schema.safeParse(raw, {
      error: ({ input }) => (input === undefined ? 'is missing' : undefined),
    }).error?.issues ?? []
  )
    .map(
      ({ path, message, ...issue }) =>
        [[...path, ...('keys' in issue ? issue.keys : [])].join('.'), message] as const,
    )
    .filter(([path]) => path.startsWith(under))
    .map(([path, message]) => `${path}: ${message}`);

/** @throws Failure (exit status 2) unless every setting is there and valid */
function parseSettings(project: string, raw: unknown): Settings {
  const { data } = schema.safeParse(raw);
  if (data) return data;
  const problems = problemsOf(raw).join('\n  ');
  throw usageFailure(
    `deploy/settings/${project}.yaml:\n  ${problems}\nCorrect it. A run on a terminal asks for what is missing. Nothing was done.`,
  );
}

export const readSettings = (project: string, folder: string): Settings =>
  parseSettings(project, readFile(project, folder));

/** What a person decides. The rest has a value that suits most, which the file shows. */
const QUESTIONS: readonly (readonly [path: string, question: string])[] = [
  [
    'location',
    'Where is the data? It can never be moved. A region (us-central1) costs half as much as a multi-region (nam5, eur3)',
  ],
  ['billingAccount', 'Which billing account pays?'],
  ['recipients', 'Whose addresses get the alerts, separated by commas?'],
  ['operator.name', 'Who runs the service, as the pages show it?'],
  ['operator.help', 'Where do people get help? (mailto: or https:, or empty)'],
  ['operator.privacy', 'Where is your privacy statement? (https:, or empty)'],
  ['program', 'Which attestation program does the audit read? (its address, or empty)'],
  [
    'canary.wallet',
    'Which wallet is known to be verified, to be looked up every five minutes? (empty if none yet)',
  ],
];

/** @param location of the database */
const nearest = (location: string): string =>
  ({ nam: 'us-central1', eur: 'europe-west1' })[location.replace(/\d+$/, '')] ?? location;
type Flat = Record<string, unknown>;
const isGroup = (value: unknown): value is Flat =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Writes `sites: { pages }` as `sites.pages`. */
const flatten = (raw: Flat): Flat =>
  Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) =>
      isGroup(value)
        ? Object.entries(value).map(([part, one]) => [`${name}.${part}`, one])
        : [[name, value]],
    ),
  );
function nest(flat: Flat): Flat {
  const nested: Record<string, Flat> = {};
  const single: Flat = {};
  for (const [path, value] of Object.entries(flat)) {
    const [name = '', part] = path.split('.');
    if (part === undefined) single[name] = value;
    else nested[name] = { ...nested[name], [part]: value };
  }
  return { ...single, ...nested };
}

/**
 * Asks for the settings that are missing, and stores them.
 *
 * @param billingAccounts reads those that the person may use
 */
export async function completeSettings(
  project: string,
  folder: string,
  ask: (question: string) => Promise<string>,
  billingAccounts: () => Promise<readonly string[]>,
): Promise<Settings> {
  const flat = flatten(readFile(project, folder));
  const before = JSON.stringify(flat);
  const usable = flat['billingAccount'] === undefined ? await billingAccounts() : [];
  if (usable.length === 1) flat['billingAccount'] = usable[0];
  for (const [path, question] of QUESTIONS) {
    const choices = path === 'billingAccount' && usable.length > 0 ? ` (${usable.join(', ')})` : '';
    for (let hint = ''; flat[path] === undefined; ) {
      const answer = (await ask(`${hint}${question}${choices} `)).trim();
      const value = path === 'recipients' ? answer.split(/[,\s]+/).filter(Boolean) : answer;
      const [problem] = problemsOf(nest({ ...flat, [path]: value }), path);
      if (problem === undefined) flat[path] = value;
      else hint = `${problem}. `;
    }
  }
  const shortened = (name: string) =>
    `${project.slice(0, SITE_LENGTH - 1 - name.length).replace(/-$/, '')}-${name}`;
  const complete = nest({
    region: nearest(String(flat['location'])),
    budget: 500,
    'sites.pages': shortened('attestations'),
    'sites.console': shortened('console'),
    'canary.email': '',
    signUp: false,
    maxInstances: 10,
    readsPerSecond: 2000,
    verifiedEmailOnly: true,
    github: '',
    ...flat,
  });
  const { data } = schema.safeParse(complete);
  if (data && JSON.stringify(flatten(data)) !== before) {
    mkdirSync(folder, { recursive: true });
    const heading = `# The settings of ${project}. deploy/settings.ts describes them.\n`;
    writeFileSync(fileOf(project, folder), `${heading}${stringify(data)}`);
  }
  return parseSettings(project, complete);
}
