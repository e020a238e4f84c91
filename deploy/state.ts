// What the project should have, from project.yaml and the files beside it, compared with what Google says that it has.

import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { readAlert } from './alerts.ts';
import { itemsOf, type Json, jsonObject } from './google.ts';

const command = z.union([z.string(), z.array(z.string())]);
const entrySchema = z.strictObject({
  what: z.string(),
  when: z.string().optional(),
  security: z.boolean().optional(),
  get: z.string(),
  in: z.string().optional(),
  match: jsonObject.optional(),
  want: jsonObject.optional(),
  body: jsonObject.optional(),
  /** Of an update, if it is another one. */
  updateBody: jsonObject.optional(),
  save: z.record(z.string(), z.string()).optional(),
  create: command.optional(),
  update: command.optional(),
  hint: z.string().optional(),
  /** What a person must do if it is missing. */
  manual: z.string().optional(),
  /** The deployment's own key that it carries, whose id is its label `key`. */
  key: z.literal(['uptime', 'canary']).optional(),
  /** An account that should have no roles but these. */
  only: z.object({ member: z.string(), roles: z.array(z.string()) }).optional(),
});
export type Entry = z.infer<typeof entrySchema>;
const patternSchema = entrySchema.extend({
  /** The files of this folder that are an entry each. */
  files: z.string().optional(),
  /** A word with several values, of which each is an entry. */
  each: z.string().optional(),
});
const grantSchema = z.strictObject({
  grant: z.string(),
  to: z.string(),
  on: z.string(),
  when: z.string().optional(),
});
const apisSchema = z.looseObject({ what: z.string(), get: z.string(), apis: z.array(z.string()) });

const FOLDER = import.meta.dirname;
const read = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');
/** Replaces words in capitals. A value that is exactly one word may become another type. */
export type Words = Readonly<Record<string, unknown>>;
function fill(value: unknown, words: Words): unknown {
  if (typeof value === 'string') {
    if (value in words) return words[value];
    return value.replaceAll(/\b[A-Z][A-Z_]+\b/g, (word) => String(words[word] ?? word));
  }
  if (Array.isArray(value)) return value.flatMap((one) => fill(one, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one, words)]));
}
export const fillEntry = (entry: Entry, words: Words): Entry => ({
  ...entrySchema.parse(fill({ ...entry, when: undefined }, words)),
  ...(entry.when !== undefined && { when: entry.when }),
});

const email = (name: string): string =>
  name.includes('@') ? name : `${name}@PROJECT.iam.gserviceaccount.com`;
const POLICIES = {
  project: ['https://cloudresourcemanager.googleapis.com/v1/projects/NAME', 'projects'],
  account: ['iam/v1/serviceAccounts/NAME@PROJECT.iam.gserviceaccount.com', 'iam service-accounts'],
  bucket: ['https://storage.googleapis.com/storage/v1/b/NAME/iam', 'storage buckets'],
  secret: ['secretmanager/v1/secrets/NAME', 'secrets'],
  job: ['run/v2/locations/REGION/jobs/NAME', 'run jobs'],
} as const;

/** A role of an account, on the project or one thing in it. */
function grantOf({ grant, to, on, when }: z.infer<typeof grantSchema>): Entry {
  const [kind, name = ''] = on.split(' ');
  const [address, group] =
    POLICIES[z.literal(['project', 'account', 'bucket', 'secret', 'job']).parse(kind)];
  const member =
    to === 'GITHUB'
      ? 'principalSet://iam.googleapis.com/projects/NUMBER/locations/global/workloadIdentityPools/ci/attribute.repository/GITHUB'
      : `serviceAccount:${email(to)}`;
  const role = grant.startsWith('poh') ? `projects/PROJECT/roles/${grant}` : `roles/${grant}`;
  const target =
    { account: email(name), bucket: `gs://${name}`, job: `${name} --region REGION` }[kind ?? ''] ??
    name;
  const condition = kind === 'project' ? ' --condition None' : '';
  return {
    what: `${role.split('/').at(-1)} of ${to} on the ${on}`,
    ...(when !== undefined && { when }),
    get: address.replace('NAME', name) + (kind === 'bucket' ? '' : ':getIamPolicy'),
    want: { bindings: [{ role, members: [member] }] },
    update: `gcloud ${group} add-iam-policy-binding ${target} --role ${role} --member ${member}${condition} --format none`,
  };
}

const table = z.object({
  project: z.array(z.union([entrySchema, apisSchema])),
  roles: z.record(z.string(), z.array(z.string())),
  accounts: z.record(z.string(), z.array(z.string())),
  services: z.array(z.union([entrySchema, grantSchema])),
  sites: z.array(entrySchema),
  release: z.array(entrySchema),
  monitoring: z.array(patternSchema),
});
const PROJECT_POLICY = `${POLICIES.project[0].replace('NAME', 'PROJECT')}:getIamPolicy`;

/** Google enables at most 20 APIs with one request. */
const APIS_AT_ONCE = 20;
const apisEntry = ({ what, get, apis }: z.infer<typeof apisSchema>): Entry => {
  const names = apis.map((name) => `${name}.googleapis.com`);
  const halves = [names.slice(0, APIS_AT_ONCE), names.slice(APIS_AT_ONCE)];
  return {
    what,
    get,
    in: 'services',
    want: { services: names.map((name) => ({ config: { name } })) },
    update: halves.map((some) => `gcloud services enable ${some.join(' ')}`),
  };
};

const roleEntry = ([name, includedPermissions]: [string, string[]]): Entry => ({
  what: `the role ${name}`,
  security: true,
  get: `iam/v1/roles/${name}`,
  want: { title: `PoH: ${name}`, stage: 'GA', includedPermissions },
  create: `gcloud iam roles create ${name} --file FILE`,
  update: `gcloud iam roles update ${name} --file FILE`,
});

function accountEntries([name, roles]: [string, string[]]): Entry[] {
  const when = name === 'poh-deploy' ? { when: 'GITHUB' } : {};
  const member = `serviceAccount:${email(name)}`;
  const grants = roles.map((role) =>
    grantOf({ grant: role, to: name, on: 'project PROJECT', ...when }),
  );
  const names = grants.map(
    ({ want }) =>
      z.object({ bindings: z.tuple([z.object({ role: z.string() })]) }).parse(want).bindings[0]
        .role,
  );
  return [
    {
      what: `the account ${name}`,
      ...when,
      get: `iam/v1/serviceAccounts/${email(name)}`,
      want: { disabled: false },
      create: `gcloud iam service-accounts create ${name} --display-name ${name}`,
      update: `gcloud iam service-accounts enable ${email(name)}`,
    },
    ...grants,
    {
      what: `no other role of ${name}`,
      ...when,
      security: true,
      get: PROJECT_POLICY,
      only: { member, roles: names },
      update: `gcloud projects remove-iam-policy-binding PROJECT --member ${member} --role EXTRA --all --format none`,
    },
  ];
}

const uptime = z.object({
  paths: z.record(z.string(), z.string()),
  flags: z.record(z.string(), z.union([z.string(), z.number()])),
});
function uptimeEntries(): Entry[] {
  const { paths, flags } = uptime.parse(parse(read('uptime.yaml')));
  return Object.entries(paths).map(([title, path]) => {
    const common = `--path ${path} --flags-file FILE`;
    // In a file, because anyone on this machine can read the arguments of a command.
    const headers = { 'X-PoH-API-Key': 'UPTIME_KEY' };
    return {
      what: `the uptime check ${title}`,
      when: /WALLET|EMAIL/.exec(path)?.[0] ?? 'SITE',
      key: 'uptime',
      get: 'monitoring/v3/uptimeCheckConfigs',
      in: 'uptimeCheckConfigs',
      match: { displayName: title, monitoredResource: { labels: { host: 'SITE' } } },
      want: {
        httpCheck: { path, useSsl: true, maskHeaders: true },
        contentMatchers: [
          {
            content: flags['--matcher-content'],
            jsonPathMatcher: { jsonPath: flags['--json-path'] },
          },
        ],
        period: `${Number(flags['--period']) * 60}s`,
        timeout: `${flags['--timeout']}s`,
        // Google does not tell the header, so this tells whose key it has.
        userLabels: { key: 'UPTIME_KEY_ID' },
      },
      body: { ...flags, '--headers': headers, '--user-labels': { key: 'UPTIME_KEY_ID' } },
      updateBody: {
        ...flags,
        '--update-headers': headers,
        '--update-user-labels': { key: 'UPTIME_KEY_ID' },
      },
      create: `gcloud monitoring uptime create '${title}' --resource-type uptime-url --resource-labels host=SITE,project_id=PROJECT --protocol https --status-codes 200 --mask-headers true ${common}`,
      update: `gcloud monitoring uptime update FOUND --set-status-codes 200 ${common}`,
    };
  });
}

const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: FOLDER }).sort();
const contentOf = (file: string): Json => jsonObject.parse(parse(read(file)));

const place = z.object({
  PROJECT: z.string().default('PROJECT'),
  REGION: z.string().default('REGION'),
  SITE: z.string().default('SITE'),
});
function alertOf(file: string, words: Words): Json {
  const { PROJECT: project, REGION: region, SITE: site } = place.parse(words);
  return jsonObject.parse(readAlert(file, { project, region, site }));
}

/** An entry for each file, whose content it wants too, or for each recipient. */
function expand({ files, each, ...entry }: z.infer<typeof patternSchema>, words: Words): Entry[] {
  if (files !== undefined)
    return filesOf(files).map((file) => {
      const content = file.startsWith('alerts/') ? alertOf(file, words) : contentOf(file);
      const own = { NAME: basename(file, '.yaml'), TITLE: content['displayName'] };
      return fillEntry({ ...entry, want: { ...content, ...entry.want } }, own);
    });
  if (each === undefined) return [entry];
  return itemsOf(words[each]).map((NAME) => fillEntry(entry, { NAME }));
}

/** What there should be, in the order in which it is made: before the function and the pages are deployed, and after. */
export function readTable(words: Words): Readonly<Record<'before' | 'release' | 'after', Entry[]>> {
  const { project, roles, accounts, services, sites, release, monitoring } = table.parse(
    parse(read('project.yaml'), { merge: true }),
  );
  return {
    before: [
      ...project.map((one) => ('apis' in one ? apisEntry(one) : one)),
      ...Object.entries(roles).map(roleEntry),
      ...Object.entries(accounts).flatMap(accountEntries),
      ...services.map((one) => ('grant' in one ? grantOf(one) : one)),
      ...sites,
    ],
    release,
    after: [...monitoring.flatMap((one) => expand(one, words)), ...uptimeEntries()],
  };
}
