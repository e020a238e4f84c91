// Stands in for gcloud, firebase-tools, the admins' command line and Google's REST interface, and keeps what they change. It
// fails as a test says. What gcloud accepts, and which requests there are, is tested with gcloud itself.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { Failure } from '../../cli/terminal/failure.ts';
import type { Json, Outside } from '../../deploy/google.ts';
import { run } from '../../deploy/main.ts';
import type { Settings } from '../../deploy/settings.ts';
import { hashApiKey } from '../../records/apiKey.ts';
import { readCommit } from '../../tools/build.ts';
import { type LogEntry, matches } from '../alerts/logFilter.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

export const PROJECT = 'acme-poh';
/** The answers of a person on the first day. */
export const FIRST_DAY = [
  ['Where is the data?', 'us-central1'],
  ['get the alerts', 'ops@example.com'],
  ['Who runs the service', 'Acme'],
  ['first admin', 'owner@example.com'],
  ['attestation program', 'DKnHjEqvrfXCwse8JGs13EjFsMSvmTgoJDcw1EDGRzGv'],
] as const;
/** The settings that follow from them, and what a person has added since. */
export const SETTINGS: Settings = {
  location: 'us-central1',
  region: 'us-central1',
  billingAccount: '012345-6789AB-CDEF01',
  budget: 500,
  recipients: ['ops@example.com'],
  pagesSite: `${PROJECT}-attestations`,
  consoleSite: `${PROJECT}-console`,
  operator: 'Acme',
  help: 'mailto:help@example.com',
  privacy: 'https://example.com/privacy',
  program: 'DKnHjEqvrfXCwse8JGs13EjFsMSvmTgoJDcw1EDGRzGv',
  canaryWallet: '11111111111111111111111111111112',
  canaryEmail: '',
  signUp: false,
  maxInstances: 10,
  readsPerSecond: 2000,
  verifiedEmailOnly: true,
  github: '',
};
const BILLING = 'billingAccounts/012345-6789AB-CDEF01';
const SERVICE = 'pohattestationsendpoint';
/** How many items of a list a reply has. */
const PAGE = 7;
const LATEST = 'TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST';
const BY_NAME = 'TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION';

/** The title of what a request writes, or whom a key is issued to. */
const TITLE = /"(?:displayName|project)":(?:"|\{"stringValue":")([^"]*)/;

/** Decides whether a call fails, before or after it took effect, and what Google says then. */
type Fault = (line: string) => { readonly reply: string; readonly isAfter?: boolean } | undefined;
type Flags = Readonly<Record<string, string>>;

/** The words that are no options, and the options with their values. */
function parseLine(args: readonly string[]): { names: string[]; flags: Flags } {
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true });
  const names: string[] = [];
  const flags: Record<string, string> = {};
  let option = '';
  for (const token of tokens) {
    if (token.kind === 'option') flags[token.name] = token.value ?? '';
    else if (token.kind === 'positional' && option) flags[option] = token.value;
    else if (token.kind === 'positional') names.push(token.value);
    option = token.kind === 'option' && token.value === undefined ? token.name : '';
  }
  return { names, flags };
}

const merge = (old: unknown, change: unknown): unknown => {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const parts = Object.entries(change).map(([name, one]) => [
    name,
    merge(Reflect.get(Object(old), name), one),
  ]);
  return { ...Object(old), ...Object.fromEntries(parts) };
};
/** Google names the conditions of an alert, and orders the labels of a metric. */
function asGoogle(name: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  if (name === 'conditions') return value.map((one, at) => ({ ...one, name: `conditions/${at}` }));
  if (name === 'labels') return value.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return value;
}
const json = (status: number, body: object = {}): Response =>
  new Response(JSON.stringify(body), { status });
const refusal = (status: number, message: string) => json(status, { error: { message } });

/** What tells which thing it is. */
const IDENTITY =
  /^(name|email|type|labels|displayName|dailyRecurrence|state|config|etag|projectNumber|appId|monitoredResource|locationId|lifecycleState|billing\w*|latestCreatedRevision|subtype|createTime)$/;

/** The policies that gcloud changes, by the command and what follows it. */
const POLICIES: readonly (readonly [
  start: string,
  path: (name: string, flags: Flags) => string,
])[] = [
  ['projects', () => 'cloudresourcemanager/v1'],
  ['iam service-accounts', (email) => `iam/v1/serviceAccounts/${email}`],
  ['storage buckets', (url) => `storage/v1/b/${url.replace('gs://', '')}`],
  ['secrets', (name) => `secretmanager/v1/secrets/${name}`],
  ['run jobs', (name, { region }) => `run/v2/locations/${region}/jobs/${name}`],
];

export class StandIn implements Outside {
  /** What Google has, by the address that reads it: `firestore/v1/databases/(default)`. */
  readonly things = new Map<string, Json>();
  /** Every call that may change something, as one line. */
  readonly calls: string[] = [];
  /** The commands of gcloud, and all requests, for gcloud to check. */
  readonly commands: (readonly string[])[] = [];
  readonly requests: { method: string; url: string; body: unknown }[] = [];
  /** The calls of programs that ask the person themselves. */
  readonly interactive: string[] = [];
  readonly said: string[] = [];
  /** The waits, in seconds. */
  readonly waits: number[] = [];
  /** The answers to questions that contain a text; `y` to every other one. */
  answers: readonly (readonly [string, string])[] = [];
  readonly questions: string[] = [];
  fault: Fault = () => undefined;
  /** How changes end that take time. */
  outcome: Json = { done: true };
  readonly folders;
  /** A thing that Google changes without an effect, and one that it does not show. */
  ignores = '';
  refuses = '-';
  readonly logged: LogEntry[] = [];
  /** Whether firebase-tools finds no change of the function. */
  isUnchanged = false;
  /** The latest version of each secret. */
  readonly secrets = new Map<string | undefined, string>();
  #created = 0;
  #revisions = 0;

  constructor(settings?: object) {
    const folder = mkdtempSync(join(temporaryFolder(), 'stand-in-'));
    this.folders = { root: folder, settings: join(folder, 'settings'), keys: join(folder, 'keys') };
    if (settings) this.writeSettings(settings);
  }

  writeSettings(settings: object): void {
    mkdirSync(this.folders.settings, { recursive: true });
    writeFileSync(join(this.folders.settings, `${PROJECT}.yaml`), stringify(settings));
  }

  /** Another stand-in with the same state, files and all. */
  copy(): StandIn {
    const copy = new StandIn();
    for (const [path, thing] of this.things) copy.things.set(path, thing);
    for (const name of ['settings', 'keys'] as const)
      cpSync(this.folders[name], copy.folders[name], { recursive: true });
    copy.#created = this.#created;
    copy.#revisions = this.#revisions;
    return copy;
  }

  /** Adds a line to the log, which is newer than those before of the same age. */
  log(jsonPayload: Json, revision_name = '', minutes = 30, location = 'us-central1'): void {
    const timestamp = new Date(Date.now() - minutes * 60_000 + this.logged.length).toISOString();
    const type = /^(step|mirror|key )/.test(String(jsonPayload['message'])) ? 'job' : 'revision';
    const labels = { service_name: SERVICE, job_name: 'poh-audit', revision_name, location };
    const resource = { type: `cloud_run_${type}`, labels };
    this.logged.push({ timestamp, severity: 'WARNING', resource, jsonPayload });
  }

  /** The latest revision of the function. */
  revision(): string {
    const [service] = [...this.things].filter(([path]) => path.endsWith(SERVICE));
    return String(service?.[1]['latestCreatedRevision']);
  }

  /** Changes something, as somebody does in Google's console. */
  set(path: string, change: Json): undefined {
    const parent = path.includes('/budgets') ? BILLING : `projects/${PROJECT}`;
    const name = [parent, ...path.split('/').slice(2)].join('/');
    const thing = merge(this.things.get(path) ?? { name }, change) as Json;
    this.things.set(path, JSON.parse(JSON.stringify(thing), asGoogle));
  }

  /** Leaves of each thing only what tells which it is, as if somebody had changed everything else. */
  strip(): void {
    for (const [path, thing] of this.things) {
      if (/documents|services\/|functions/.test(path)) continue;
      const left = Object.entries(thing).filter(([name]) => IDENTITY.test(name));
      if (path.includes('/packages/')) this.things.delete(path);
      else this.things.set(path, Object.fromEntries(left));
    }
  }

  say = (line: string): void => void this.said.push(line);
  sleep = async (ms: number): Promise<void> => void this.waits.push(ms / 1000);
  ask: ((question: string) => Promise<string>) | undefined = async (question) => {
    this.questions.push(question);
    // Otherwise a wrong answer would be asked for without an end.
    if (this.questions.length > 9_999) throw new Error(`It asks again and again: ${question}`);
    return this.answers.find(([text]) => question.includes(text))?.[1] ?? 'y';
  };

  /** Counts a call, and fails as the test says. */
  #call<T>(line: string, effect: () => T): { reply: string } | { value: T } {
    this.calls.push(line);
    const fault = this.fault(line);
    if (!fault) return { value: effect() };
    if (fault.isAfter) effect();
    return { reply: fault.reply };
  }

  run: Outside['run'] = async (program, words, options = {}) => {
    if (words.includes('print-access-token')) return { status: 0, output: 'token\n', errors: '' };
    if (program === 'build') return { status: 0, output: '', errors: '' };
    if (program === 'gcloud') this.commands.push(words);
    if (options.isInteractive) this.interactive.push(`${program} ${words.join(' ')}`);
    if (program === 'firebase' && options.project !== PROJECT)
      return { status: 1, output: '', errors: 'Whose quota?' };
    const outcome = this.#call(`${program} ${words.join(' ')}`, () => {
      if (program === 'gcloud') return this.#gcloud(words);
      if (program === 'firebase') return this.#firebase(words);
      if (words.includes('grant'))
        return this.set('firestore/v1/databases/(default)/documents/admins/uid', { fields: {} });
      const hasFunction = [...this.things.keys()].some((path) => path.endsWith(SERVICE));
      return hasFunction ? undefined : 'no response';
    });
    const errors = 'reply' in outcome ? outcome.reply : (outcome.value ?? '');
    return { status: errors ? 1 : 0, output: '', errors };
  };

  #create(path: string, item: Json = {}): string | undefined {
    return this.things.has(path) ? `ALREADY_EXISTS: ${path}` : this.set(path, item);
  }

  /** @returns an error */
  #gcloud(words: readonly string[]): string | undefined {
    const { names, flags } = parseLine(words);
    const text = names.join(' ');
    const name = names.at(-1) ?? '';
    const [start, change] = text.split(/ (add|remove)-iam-policy-binding /);
    const policy = change && POLICIES.find(([group]) => group === start);
    if (policy) {
      const key = `${policy[1](name, flags)}:getIamPolicy`;
      const { role, member } = flags;
      const others = ((this.things.get(key)?.['bindings'] ?? []) as Json[]).filter(
        (one) => one['role'] !== role || String(one['members']) !== member,
      );
      const added = change === 'add' ? [{ role, members: [member] }] : [];
      this.things.set(key, { bindings: [...others, ...added] });
      return undefined;
    }
    const jobPath = `locations/${flags['location'] ?? flags['region']}/jobs/${name}`;
    const effects: Record<string, () => string | undefined> = {
      'projects create': () =>
        this.#create('cloudresourcemanager/v1', {
          projectNumber: '123456789',
          lifecycleState: 'ACTIVE',
        }),
      'services enable': () => {
        for (const api of names.slice(2))
          this.set(`serviceusage/v1/services/${api}`, { config: { name: api } });
        return names.length > 22 ? 'Google enables at most 20 with one request' : undefined;
      },
      'iam roles create': () =>
        this.#create(`iam/v1/roles/${name}`, {
          title: flags['title'],
          stage: flags['stage'],
          includedPermissions: flags['permissions']?.split(','),
        }),
      'iam service-accounts create': () =>
        this.#create(`iam/v1/serviceAccounts/${name}@${PROJECT}.iam.gserviceaccount.com`),
      'iam service-accounts enable': () =>
        this.set(`iam/v1/serviceAccounts/${name}`, { disabled: false }),
      'builds submit': () => {
        const [, region, tag] =
          /=([\w-]+)-docker.*\/poh\/admin:(.*)/.exec(flags['substitutions'] ?? '') ?? [];
        const repository = `artifactregistry/v1/locations/${region}/repositories/poh`;
        this.set(`${repository}/packages/admin/tags/${tag}`, {});
      },
      'secrets create': () => this.#create(`secretmanager/v1/secrets/${name}`),
      'secrets versions add': () =>
        void this.secrets.set(name, readFileSync(flags['data-file'] ?? '', 'utf8')),
      'secrets update': () =>
        this.set(`secretmanager/v1/secrets/${name}`, {
          labels: { key: flags['update-labels']?.split('=')[1] },
        }),
      'run jobs execute': () => 'The execution failed, as a drill must.',
      'scheduler jobs resume': () => this.set(`cloudscheduler/v1/${jobPath}`, { state: 'ENABLED' }),
      'logging sinks update': () => {
        const exclusion = flags['add-exclusion'] ?? flags['update-exclusion'] ?? '';
        const [, named, filter] = /name=([^;]+);filter=([^;]+)/.exec(exclusion) ?? [];
        this.set('logging/v2/sinks/_Default', { exclusions: [{ name: named, filter }] });
      },
      'run services update-traffic': () => this.#traffic(flags),
    };
    const [, effect] = Object.entries(effects).find(([one]) => text.startsWith(one)) ?? [];
    return effect ? effect() : `Invalid choice: ${text}`;
  }

  #firebase(words: readonly string[]): string | undefined {
    const { names, flags } = parseLine(words);
    const region = flags['region'] ?? flags['location'];
    const effects: Record<string, () => string | undefined> = {
      'projects:addfirebase': () => this.#create('firebase/v1beta1'),
      'apps:create': () =>
        this.#add('firebase/v1beta1/webApps', { displayName: names[2], appId: '1:a' }),
      'functions:artifacts:setpolicy': () => {
        const condition = { olderThan: `${Number(flags['days']) * 86_400}s` };
        return this.set(`artifactregistry/v1/locations/${region}/repositories/gcf-artifacts`, {
          cleanupPolicies: { 'firebase-functions-cleanup': { condition } },
        });
      },
      'functions:delete': () => {
        this.things.delete(`run/v2/locations/${region}/services/${SERVICE}`);
        this.things.delete(
          `cloudfunctions/v2/locations/${region}/functions/pohAttestationsEndpoint`,
        );
      },
      deploy: () => this.#deploy(flags['only'] ?? ''),
    };
    return effects[names[0] ?? '']?.();
  }

  #deploy(only: string): undefined {
    if (only.includes('functions') && !this.isUnchanged) {
      const text = readFileSync(join(this.folders.root, `.env.${PROJECT}`), 'utf8');
      const env = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => ({ name, value }));
      const parameter = (name: string) => env.find((one) => one.name === name)?.value;
      const region = parameter('LOOKUP_REGION');
      const path = `run/v2/locations/${region}/services/${SERVICE}`;
      this.#revisions += 1;
      const revision = `${SERVICE}-0000${this.#revisions}-abc`;
      const known = (this.things.get(path)?.['trafficStatuses'] ?? []) as Json[];
      const isPinned = known.some(({ type }) => type !== LATEST);
      this.set(path, {
        latestCreatedRevision: revision,
        trafficStatuses: isPinned ? known : [{ type: LATEST, revision, percent: 100 }],
        template: {
          serviceAccount: parameter('LOOKUP_SERVICE_ACCOUNT'),
          scaling: { maxInstanceCount: Number(parameter('LOOKUP_MAX_INSTANCES')) },
          containers: [{ env }],
        },
      });
      this.set(`cloudfunctions/v2/locations/${region}/functions/pohAttestationsEndpoint`, {});
      this.set(`artifactregistry/v1/locations/${region}/repositories/gcf-artifacts`, {});
    }
    if (only.includes('rules'))
      this.set('firebaserules/v1/releases/cloud.firestore', {
        rulesetName: `projects/${PROJECT}/rulesets/1`,
      });
    if (only.includes('hosting')) this.set('pages', { commit: readCommit() });
  }

  #traffic(flags: Flags): undefined {
    const [path = ''] = [...this.things.keys()].filter((one) =>
      one.endsWith(`services/${SERVICE}`),
    );
    const service = this.things.get(path);
    let statuses = (service?.['trafficStatuses'] ?? []) as Json[];
    const { 'to-revisions': shares, 'update-tags': tags } = flags;
    if ('to-latest' in flags)
      statuses = [{ type: LATEST, revision: service?.['latestCreatedRevision'], percent: 100 }];
    if (shares)
      statuses = shares.split(',').map((pair) => {
        const [revision, percent] = pair.split('=');
        const tagged = statuses.find((one) => one['tag'] && one['revision'] === revision);
        return { ...tagged, type: BY_NAME, revision, percent: Number(percent) };
      });
    if (tags) {
      const [tag, revision] = tags.split('=');
      const uri = 'https://trial---poh.a.run.app';
      statuses = [...statuses, { type: BY_NAME, revision, percent: 0, tag, uri }];
    }
    this.things.set(path, { ...service, trafficStatuses: statuses });
  }

  fetch: Outside['fetch'] = async (url, { method = 'GET', body, headers }) => {
    const { hostname, pathname, searchParams } = new URL(url);
    if (hostname.endsWith('.web.app')) return this.#page(pathname, new Headers(headers));
    const api = hostname.replace('.googleapis.com', '');
    const path =
      api +
      pathname
        .replace(`/projects/${PROJECT}`, '')
        .replace('/admin/v2/', '/v2/')
        .replace(`/${BILLING}`, '')
        .replace('/storage/', '/');
    const sent = body === undefined ? undefined : JSON.parse(String(body));
    this.requests.push({ method, url, body: sent });
    if (path === 'cloudbilling/v1/billingAccounts')
      return json(200, {
        billingAccounts: [{ name: 'billingAccounts/closed' }, { name: BILLING, open: true }],
      });
    // It does not say that there is no such project.
    if (!this.things.has('cloudresourcemanager/v1'))
      return refusal(403, `Permission denied on resource project ${PROJECT}.`);
    const isEarly = /^(cloudresourcemanager|cloudbilling|serviceusage)$/.test(api);
    // A project that pays for a request needs the API too.
    const isPaid = new Headers(headers).has('X-Goog-User-Project');
    if ((isPaid || !isEarly) && !this.things.has(`serviceusage/v1/services/${hostname}`))
      return refusal(403, `SERVICE_DISABLED: ${hostname}`);
    if (path.startsWith(this.refuses)) return refusal(403, 'The caller does not have permission');
    if (path.endsWith('entries:list')) return this.#readLog(sent);
    if (method === 'GET' || path.endsWith(':getIamPolicy'))
      return this.#read(path, Number(searchParams.get('pageToken')));
    const [, title = ''] = TITLE.exec(JSON.stringify(sent ?? '')) ?? [];
    const outcome = this.#call(`${method} ${path} ${title}`, () =>
      this.#change(method, path, searchParams, sent),
    );
    return 'reply' in outcome ? refusal(403, outcome.reply) : outcome.value;
  };

  /** The site: its first page, and the endpoint, which admits active keys. */
  #page(pathname: string, headers: Headers): Response {
    if (pathname === '/')
      return new Response(`commit <code>${this.things.get('pages')?.['commit']}</code>`);
    const hash = hashApiKey(headers.get('X-PoH-API-Key') ?? '');
    const record = this.things.get(`firestore/v1/databases/(default)/documents/apiKeys/${hash}`);
    const isActive = JSON.stringify(record?.['fields'])?.includes('"booleanValue":true');
    return json(isActive ? 200 : 401);
  }

  #readLog({ filter, orderBy, pageSize }: Readonly<Record<string, string>>): Response {
    const found = this.logged.filter((entry) => matches(filter ?? '', entry));
    const sign = orderBy === 'timestamp desc' ? -1 : 1;
    found.sort((one, other) =>
      String(one['timestamp']) < String(other['timestamp']) ? -sign : sign,
    );
    return json(200, { entries: found.slice(0, Number(pageSize)) });
  }

  #read(path: string, start: number): Response {
    if (path.includes('/operations/')) return json(200, { name: path, ...this.outcome });
    const [, revision] = /\/revisions\/.*-0*(\d+)-abc$/.exec(path) ?? [];
    if (revision) return json(Number(revision) <= this.#revisions ? 200 : 404);
    const thing = this.things.get(path.replace(/\/iam$/, ':getIamPolicy'));
    if (thing) return json(200, thing);
    const target = path.replace(/:getIamPolicy$/, '');
    if (target !== path) return this.things.has(target) ? json(200) : json(404);
    const list = path.split('/').at(-1) ?? '';
    const items = [...this.things].filter(([one]) =>
      path.includes('/-/')
        ? one.startsWith('cloudfunctions/')
        : one.startsWith(`${path}/`) && !/[/:]/.test(one.slice(path.length + 1)),
    );
    const isList =
      /^(services|backupSchedules|sites|webApps|notificationChannels|uptimeCheckConfigs|alertPolicies|dashboards|budgets|functions|admins)$/;
    if (!isList.test(list)) return json(404);
    const name = { webApps: 'apps', admins: 'documents' }[list] ?? list;
    // Google leaves out an empty list, and has pages.
    const page = items.slice(start, start + PAGE).map(([, item]) => item);
    const nextPageToken = start + PAGE < items.length ? String(start + PAGE) : '';
    return json(200, page.length > 0 ? { [name]: page, nextPageToken } : {});
  }

  /** An item of a list whose name the server chooses. */
  #add(list: string, item: Json): undefined {
    this.#created += 1;
    const etag = list.endsWith('dashboards') && { etag: 'e' };
    return this.set(`${list}/${this.#created}`, { ...item, ...etag });
  }

  #change(method: string, path: string, query: URLSearchParams, body: Json = {}): Response {
    const [api = ''] = path.split('/');
    const isSlow = /^(run|artifactregistry)$/.test(api) || query.has('databaseId');
    const [place = 'databases/(default)'] = /locations\/[\w-]+/.exec(path) ?? [];
    const operation = json(200, { name: `projects/${PROJECT}/${place}/operations/1` });
    if (isSlow && this.outcome['error']) return operation;
    const [, given] = [...query].find(([name]) => name.endsWith('Id')) ?? [];
    const id =
      given ??
      String(body['name'] ?? '')
        .split('/')
        .at(-1);
    if (path.endsWith(':initializeAuth')) {
      if (this.things.has('identitytoolkit/v2/config')) return refusal(400, 'already been enabled');
      this.set('identitytoolkit/v2/config', {
        subtype: 'IDENTITY_PLATFORM',
        authorizedDomains: ['localhost'],
      });
    } else if (path.endsWith('/documents:commit')) {
      const [write] = body['writes'] as {
        delete?: string;
        update: { name: string; fields: Json };
      }[];
      const name = write?.delete ?? write?.update.name ?? '';
      const document = `firestore/v1${name.replace(`projects/${PROJECT}`, '')}`;
      if (write?.delete) this.things.delete(document);
      else this.things.set(document, { fields: write?.update.fields });
    } else if (method === 'DELETE') {
      for (const one of ['', ':getIamPolicy']) this.things.delete(path + one);
    } else if (method === 'POST' && id) {
      if (this.things.has(`${path}/${id}`)) return refusal(409, 'ALREADY_EXISTS');
      const state = api === 'cloudscheduler' && { state: 'ENABLED' };
      const type = query.has('siteId') && { type: id === PROJECT ? 'DEFAULT_SITE' : 'USER_SITE' };
      this.set(`${path}/${id}`, { ...body, ...state, ...type });
    } else if (method === 'POST') this.#add(path, body);
    else if (path !== this.ignores) {
      const isNew = !this.things.has(path) && !query.has('allowMissing');
      if (path.includes('dashboards/') && body['etag'] !== 'e') return refusal(409, 'etag');
      if (method === 'PATCH' && isNew && !path.endsWith('/createdAt')) return json(404);
      const mask = query.get('updateMask')?.split(/[.,]/);
      const masked = Object.entries(body).filter(([name]) => !mask || mask.includes(name));
      this.set(path, Object.fromEntries(masked));
    }
    return isSlow ? operation : json(200);
  }
}

/** Runs a command line. */
export async function runOn(cloud: StandIn, ...words: readonly string[]) {
  let output = '';
  const print = (text: string) => {
    output += `${text}\n`;
  };
  try {
    const project = words.includes('--project') ? [] : ['--project', PROJECT];
    const status = await run([...words, ...project], cloud, print);
    return { status, message: '', output };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: error.exitStatus ?? 1, message: error.message, output };
  }
}
