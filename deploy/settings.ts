// The settings of one project, deploy/settings/ID.yaml: their schema, and the questions for what is missing. Everything else
// that a deployment needs (.env.ID, .firebaserc, the commands) is derived from them.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { usageFailure } from '../cli/terminal/failure.ts';
import { escapeForTerminal } from '../cli/terminal/table.ts';
import { parseWallet } from '../records/wallet.ts';
import type { Outside } from './google.ts';

const matching = (pattern: RegExp, error: string) => z.string().regex(pattern, error);
const address = z.string().refine((text) => text === '' || parseWallet(text) !== undefined, {
  error: 'must be 32 bytes in base58, or empty',
});
/** Hosting accepts no longer name of a site. */
const SITE_LENGTH = 30;
const site = matching(
  /^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/,
  `must be a-z, 0-9 and -, and at most ${SITE_LENGTH}`,
);
const link = matching(
  /^(https:\/\/|mailto:)\S+$|^$/,
  'must begin with https: or mailto:, or be empty',
);

/** `ask` is the question to a person, who decides. The rest has a value that suits most, which the file shows. */
const schema = z.strictObject({
  /** Of the database. */
  location: matching(
    /^([a-z]+-[a-z]+\d+|nam\d+|eur\d+)$/,
    'must be a location, such as us-central1 or nam5',
  ).meta({
    ask: 'Where is the data? It can never be moved. A region (us-central1) costs half as much as a multi-region (nam5, eur3)',
  }),
  /** Of the function and the scheduled job. */
  region: matching(/^[a-z]+-[a-z]+\d+$/, 'must be one region, such as us-central1'),
  billingAccount: matching(
    /^[0-9A-F]{6}(-[0-9A-F]{6}){2}$/,
    'must be like 012345-6789AB-CDEF01',
  ).meta({ ask: 'Which billing account pays?' }),
  /** A month, in the currency of the billing account. */
  budget: z.int().positive(),
  /** They get the alerts, and the mails of the budget. */
  recipients: z
    .array(z.email('must be e-mail addresses, such as ops@example.com'))
    .min(1, 'must be at least one e-mail address')
    .meta({ ask: 'Whose addresses get the alerts, separated by commas?' }),
  pagesSite: site,
  consoleSite: site,
  operator: z
    .string()
    .trim()
    .min(1, 'must say who runs the service')
    .max(80)
    .meta({ ask: 'Who runs the service, as the pages show it?' }),
  /** The addresses of their help and of their privacy statement; empty if there is none yet. */
  help: link,
  privacy: link,
  /** Empty if the mirror is not audited. */
  program: address.meta({
    ask: 'Which attestation program on Solana does the audit compare the mirror with? (its address, or empty for no audit)',
  }),
  /** Known to be verified, and looked up from outside, as is the address of its account; empty if there is none yet. */
  canaryWallet: address,
  canaryEmail: z.email().or(z.literal('')),
  /** Whether anybody may sign up for an account. */
  signUp: z.boolean(),
  maxInstances: z.int().min(1).max(1000),
  readsPerSecond: z.int().nonnegative(),
  verifiedEmailOnly: z.boolean(),
  /** The repository whose workflow deploys. */
  github: matching(/^([\w.-]+\/[\w.-]+)?$/, 'must be OWNER/REPO, or empty'),
});
export type Settings = z.infer<typeof schema>;

/** @param location of the database */
const nearest = (location: string): string =>
  ({ nam: 'us-central1', eur: 'europe-west1' })[location.replace(/\d+$/, '')] ?? location;
const shortened = (project: string, name: string): string =>
  `${project.slice(0, SITE_LENGTH - 1 - name.length).replace(/-$/, '')}-${name}`;
const defaults = (project: string, location: unknown) => ({
  region: nearest(String(location)),
  budget: 500,
  pagesSite: shortened(project, 'attestations'),
  consoleSite: shortened(project, 'console'),
  help: '',
  privacy: '',
  canaryWallet: '',
  canaryEmail: '',
  signUp: false,
  maxInstances: 10,
  readsPerSecond: 2000,
  verifiedEmailOnly: true,
  github: '',
});

const NO_ACCOUNT =
  'Google shows you none that is open. Create one at https://console.cloud.google.com/billing';

/** @throws Failure (exit status 2) unless it is the id of a project */
export function parseProject(id: string): string {
  if (/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(id)) return id;
  throw usageFailure(
    `${escapeForTerminal(id)} is not the id of a project, which has 6 to 30 of a-z, 0-9 and -. Check --project.`,
  );
}

type Raw = Record<string, unknown>;
const fileOf = (project: string, folder: string): string => join(folder, `${project}.yaml`);
export const hasSettings = (project: string, folder: string): boolean =>
  existsSync(fileOf(project, folder));

/** The settings of a project, of which the file may not exist yet or lack some. */
function readFile(project: string, folder: string): Raw {
  if (!hasSettings(project, folder)) return {};
  try {
    const parsed: unknown = parse(readFileSync(fileOf(project, folder), 'utf8')) ?? {};
    return z.record(z.string(), z.unknown()).parse(parsed);
  } catch (cause) {
    throw usageFailure(
      `deploy/settings/${project}.yaml is not YAML with one setting a line. Correct it. Nothing was done.`,
      cause,
    );
  }
}

/** @throws Failure (exit status 2) unless the settings are as `expected` says */
function parseSettings<T>(project: string, raw: Raw, expected: z.ZodType<T>): T {
  const parsed = expected.safeParse(raw, {
    error: ({ input }) => (input === undefined ? 'is missing' : undefined),
  });
  if (parsed.success) return parsed.data;
  throw usageFailure(
    `deploy/settings/${project}.yaml:\n${z.prettifyError(parsed.error)}\nCorrect it. A run on a terminal asks for what is missing. Nothing was done.`,
  );
}

export function readSettings(project: string, folder: string): Settings {
  if (hasSettings(project, folder))
    return parseSettings(project, readFile(project, folder), schema);
  throw usageFailure(
    `There are no settings of ${project}. Correct --project, or run \`npm run deploy -- --project ${project}\` on a terminal, which asks for them. Nothing was done.`,
  );
}

/**
 * Asks for the settings that are missing, and stores each answer, so that an interruption loses none.
 *
 * @param billingAccounts reads those that the person may use
 */
export async function completeSettings(
  project: string,
  { folders, say }: Pick<Outside, 'folders' | 'say'>,
  ask: (question: string) => Promise<string>,
  billingAccounts: () => Promise<readonly string[]>,
): Promise<Settings> {
  const before = readFile(project, folders.settings);
  // Nobody answers questions in vain.
  parseSettings(project, before, schema.partial());
  const raw: Raw = { ...before };
  const store = (settings: object): void => {
    mkdirSync(folders.settings, { recursive: true });
    const heading = `# The settings of ${project}. deploy/settings.ts describes them.\n`;
    writeFileSync(fileOf(project, folders.settings), heading + stringify(settings));
  };
  const usable = raw['billingAccount'] === undefined ? await billingAccounts() : [];
  if (usable.length === 1) raw['billingAccount'] = usable[0];
  for (const [name, field] of Object.entries(schema.shape)) {
    const question = field.meta()?.['ask'];
    const choices = name === 'billingAccount' ? ` (${usable.join(', ') || NO_ACCOUNT})` : '';
    for (let hint = ''; question !== undefined && raw[name] === undefined; ) {
      const answer = (await ask(`${hint}${question}${choices} `)).trim();
      const value = name === 'recipients' ? answer.split(/[,\s]+/).filter(Boolean) : answer;
      const problem = field.safeParse(value).error?.issues[0]?.message;
      if (problem === undefined) store(Object.assign(raw, { [name]: value }));
      else hint = `${name} ${problem}. `;
    }
  }
  const all = { ...defaults(project, raw['location']), ...raw };
  const settings = parseSettings(project, all, schema);
  if (Object.keys(settings).some((name) => !(name in before))) {
    store(settings);
    say(
      `Wrote deploy/settings/${project}.yaml, also with what nobody was asked. The billing account ${settings.billingAccount} pays, and mails come from a budget of ${settings.budget} a month. Read the file before you say yes.`,
    );
  }
  return settings;
}
