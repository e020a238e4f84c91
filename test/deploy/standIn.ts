// Stands in for gcloud, firebase-tools, the admins' command line and Google's REST interface, and keeps what they change. It
// knows only what deploy/ asks for, and fails as a test says. What gcloud accepts is tested with gcloud's own parser.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { Failure } from '../../cli/terminal/failure.ts';
import type { Json, Outside, Program } from '../../deploy/google.ts';
import { run } from '../../deploy/main.ts';
import { readCommit } from '../../tools/build.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

export const PROJECT = 'acme-poh';
/** The answers of a person on the first day. */
export const FIRST_DAY = [
  ['Where is the data?', 'us-central1'],
  ['get the alerts', 'ops@example.com'],
  ['Who runs the service', 'Acme'],
  ['get help', 'mailto:help@example.com'],
  ['privacy statement', 'https://example.com/privacy'],
  ['attestation program', 'DKnHjEqvrfXCwse8JGs13EjFsMSvmTgoJDcw1EDGRzGv'],
  ['known to be verified', '11111111111111111111111111111112'],
] as const;
/** The settings that follow from them. */
export const SETTINGS = {
  location: 'us-central1',
  region: 'us-central1',
  billingAccount: '012345-6789AB-CDEF01',
  budget: 500,
  recipients: ['ops@example.com'],
  sites: { pages: `${PROJECT}-attestations`, console: `${PROJECT}-console` },
  operator: {
    name: 'Acme',
    help: 'mailto:help@example.com',
    privacy: 'https://example.com/privacy',
  },
  program: 'DKnHjEqvrfXCwse8JGs13EjFsMSvmTgoJDcw1EDGRzGv',
  canary: { wallet: '11111111111111111111111111111112', email: '' },
  signUp: false,
  maxInstances: 10,
  readsPerSecond: 2000,
  verifiedEmailOnly: true,
  github: '',
};
const NUMBER = '123456789';
const SERVICE = 'pohattestationsendpoint';

/** Decides whether a call fails, before or after it took effect, and what Google says then. */
type Fault = (line: string) => { readonly reply: string; readonly isAfter?: boolean } | undefined;

type Flags = Record<string, string>;
interface Line {
  /** The words before the first option. */
  readonly names: readonly string[];
  readonly flags: Flags;
  readonly shell: string;
}

function parseLine(words: readonly string[]): Line {
  const names: string[] = [];
  const all: [string, string][] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const next = words[index + 1];
    if (!word.startsWith('--')) names.push(word);
    else if (word.includes('='))
      all.push([word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
    else if (next === undefined || next.startsWith('--')) all.push([word, '']);
    else {
      all.push([word, next]);
      index += 1;
    }
  }
  for (const [, file] of all.filter(([flag]) => flag === '--flags-file'))
    for (const [name, value] of Object.entries<unknown>(parse(readFileSync(file, 'utf8'))))
      all.push([name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
  const quoted = (text: string) => `'${text}'`;
  const options = all
    .filter(([flag]) => flag !== '--flags-file')
    .map(([flag, value]) =>
      value === '' || value === 'null' ? flag : `${flag}=${quoted(shellValue(value))}`,
    );
  const shell = [
    ...names.map((name) => (/^[\w-]+$/.test(name) ? name : quoted(name))),
    ...options,
  ].join(' ');
  return { names, flags: Object.fromEntries(all), shell };
}

/** An option that is an object or a list in a file of options. */
function shellValue(value: string): string {
  if (value.startsWith('[')) return JSON.parse(value).join(',');
  if (!value.startsWith('{')) return value;
  return Object.entries(JSON.parse(value))
    .map(([name, one]) => `${name}=${one}`)
    .join(',');
}
const readBody = (file = ''): Json => JSON.parse(readFileSync(file, 'utf8'));
const merge = (old: unknown, change: unknown): unknown => {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const before = typeof old === 'object' && old !== null ? old : {};
  return {
    ...before,
    ...Object.fromEntries(
      Object.entries(change).map(([name, one]) => [name, merge(Reflect.get(before, name), one)]),
    ),
  };
};

export class StandIn implements Outside {
  /** What Google has, by the address that reads it: `firestore/v1/databases/(default)`. */
  readonly things = new Map<string, Json>();
  /** Every call that may change something, as one line. */
  readonly calls: string[] = [];
  readonly said: string[] = [];
  /** The waits, in seconds. */
  readonly waits: number[] = [];
  /** The answers to questions that contain a text; `y` to every other one. */
  answers: readonly (readonly [string, string])[] = [];
  readonly questions: string[] = [];
  fault: Fault = () => undefined;
  readonly folders;
  /** A thing that Google changes without an effect, and one that it does not show. */
  ignores = '';
  refuses = '-';
  logged: readonly Json[] = [];
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

  /** The commands as a shell would take them, with the content of files of options, which gcloud's parser does not read. */
  readonly lines: string[] = [];

  /** Leaves of each thing only what tells which it is. */
  spoil(): void {
    const kept =
      /^(name|email|type|labels|displayName|dailyRecurrence|state|config|etag|projectNumber|appId|monitoredResource|locationId|lifecycleState|billing\w*|latestCreatedRevision|subtype|createTime)$/;
    for (const [path, thing] of this.things) {
      if (/secrets|documents|getIamPolicy|services\/|functions/.test(path)) continue;
      this.things.set(
        path,
        Object.fromEntries(Object.entries(thing).filter(([name]) => kept.test(name))),
      );
    }
    for (const path of this.things.keys())
      if (path.includes('/packages/')) this.things.delete(path);
  }

  /** This project, with other settings. */
  move(region: string): this {
    this.writeSettings({ ...SETTINGS, region });
    return this;
  }

  /** The latest revision of the function. */
  revision(): string {
    const [service] = [...this.things].filter(([path]) => path.endsWith(SERVICE));
    return String(service?.[1]['latestCreatedRevision']);
  }

  /** As somebody does in Google's console. */
  edit(path: string, change: Json): void {
    this.things.set(path, merge(this.things.get(path), change) as Json);
  }

  say = (line: string): void => void this.said.push(line);
  sleep = async (ms: number): Promise<void> => void this.waits.push(ms / 1000);
  ask: ((question: string) => Promise<string>) | undefined = async (question) => {
    this.questions.push(question);
    return this.answers.find(([text]) => question.includes(text))?.[1] ?? 'y';
  };

  #set(path: string, change: Json): undefined {
    this.things.set(
      path,
      merge(
        this.things.get(path) ?? {
          name: `projects/${PROJECT}/${path.split('/').slice(2).join('/')}`,
        },
        change,
      ) as Json,
    );
  }

  /** An item of a list whose name the server chooses. */
  #add(list: string, item: Json): undefined {
    this.#created += 1;
    this.#set(`${list}/${this.#created}`, item);
  }

  #grant(path: string, { flags }: Line, isRemoved = false): undefined {
    const key = `${path}:getIamPolicy`;
    const bindings = (this.things.get(key)?.['bindings'] ?? []) as {
      role: string;
      members: string[];
    }[];
    const others = bindings.filter(
      ({ role, members }) => role !== flags['--role'] || members[0] !== flags['--member'],
    );
    const added = isRemoved ? [] : [{ role: flags['--role'], members: [flags['--member']] }];
    this.things.set(key, { bindings: [...others, ...added] });
  }

  /** Counts a call, and fails as the test says. */
  async #call<T>(line: string, effect: () => T): Promise<{ reply: string } | { value: T }> {
    this.calls.push(line);
    const fault = this.fault(line);
    if (!fault) return { value: effect() };
    if (fault.isAfter) effect();
    return { reply: fault.reply };
  }

  run: Outside['run'] = async (program, words) => {
    if (words.includes('print-access-token')) return { status: 0, output: 'token\n', errors: '' };
    if (program === 'build') return { status: 0, output: '', errors: '' };
    if (program === 'gcloud') this.lines.push(`gcloud ${parseLine(words).shell}`);
    const outcome = await this.#call(`${program} ${words.join(' ')}`, () =>
      this.#effect(program, words),
    );
    const errors = 'reply' in outcome ? outcome.reply : (outcome.value ?? '');
    return { status: errors ? 1 : 0, output: '', errors };
  };

  /** @returns an error */
  #effect(program: Program, words: readonly string[]): string | undefined {
    const line = parseLine(words);
    if (program === 'firebase') return this.#firebase(line);
    const hasFunction = [...this.things.keys()].some((path) => path.endsWith(SERVICE));
    if (program === 'admin') return hasFunction ? undefined : 'no response';
    const text = line.names.join(' ');
    const effect = Object.entries(this.#effects).find(([start]) =>
      `${text} `.startsWith(`${start} `),
    );
    if (!effect) return `Invalid choice: ${text}`;
    return effect[1](line, line.names.slice(effect[0].split(' ').length)) ?? undefined;
  }

  #createOnce(path: string, item: Json): string | undefined {
    if (this.things.has(path)) return `ALREADY_EXISTS: ${path}`;
    this.#set(path, item);
    return undefined;
  }

  /** What each command of gcloud does. */
  readonly #effects: Record<
    string,
    (line: Line, rest: readonly string[]) => string | undefined | undefined
  > = {
    'projects create': () =>
      this.#createOnce('cloudresourcemanager/v1', {
        projectNumber: NUMBER,
        lifecycleState: 'ACTIVE',
      }),
    'billing projects link': ({ flags }) =>
      this.#set('cloudbilling/v1/billingInfo', {
        billingEnabled: true,
        billingAccountName: `billingAccounts/${flags['--billing-account']}`,
      }),
    'services enable': (_, names) => {
      for (const name of names)
        this.#set(`serviceusage/v1/services/${name}`, { config: { name }, state: 'ENABLED' });
    },
    'firestore databases create': ({ flags }) =>
      this.#createOnce('firestore/v1/databases/(default)', {
        locationId: flags['--location'],
        ...databaseOf(flags),
      }),
    'firestore databases update': ({ flags }) =>
      this.#set('firestore/v1/databases/(default)', databaseOf(flags)),
    'firestore backups schedules create': ({ flags }) =>
      this.#add('firestore/v1/databases/(default)/backupSchedules', {
        dailyRecurrence: {},
        retention: secondsOf(flags['--retention']),
      }),
    'firestore backups schedules update': ({ flags }) =>
      this.#set(`firestore/v1/databases/(default)/backupSchedules/${flags['--backup-schedule']}`, {
        retention: secondsOf(flags['--retention']),
      }),
    'iam roles create': ({ flags }, [name]) =>
      this.#createOnce(`iam/v1/roles/${name}`, readBody(flags['--file'])),
    'iam roles update': ({ flags }, [name]) =>
      this.#set(`iam/v1/roles/${name}`, readBody(flags['--file'])),
    'iam service-accounts create': (_, [name]) => {
      const email = `${name}@${PROJECT}.iam.gserviceaccount.com`;
      return this.#createOnce(`iam/v1/serviceAccounts/${email}`, { email });
    },
    'iam service-accounts enable': (_, [email]) =>
      this.#set(`iam/v1/serviceAccounts/${email}`, { disabled: false }),
    'iam service-accounts add-iam-policy-binding': (line, [email]) =>
      this.#grant(`iam/v1/serviceAccounts/${email}`, line),
    'iam workload-identity-pools create': () =>
      this.#createOnce('iam/v1/locations/global/workloadIdentityPools/ci', {}),
    'iam workload-identity-pools providers': ({ flags }) =>
      this.#set('iam/v1/locations/global/workloadIdentityPools/ci/providers/github', {
        attributeCondition: flags['--attribute-condition'],
      }),
    'projects add-iam-policy-binding': (line) => this.#grant('cloudresourcemanager/v1', line),
    'projects remove-iam-policy-binding': (line) =>
      this.#grant('cloudresourcemanager/v1', line, true),
    'artifacts repositories create': ({ flags }, [name]) =>
      this.#createOnce(
        `artifactregistry/v1/locations/${flags['--location']}/repositories/${name}`,
        {},
      ),
    'builds submit': ({ flags }) => {
      const [, region, name, tag] =
        /=([\w-]+)-docker\.pkg\.dev\/[^/]+\/(\w+)\/admin:(.*)/.exec(
          flags['--substitutions'] ?? '',
        ) ?? [];
      this.#set(
        `artifactregistry/v1/locations/${region}/repositories/${name}/packages/admin/tags/${tag}`,
        {},
      );
    },
    'storage buckets create': ({ flags }, [url]) =>
      this.#createOnce(bucketPath(url), bucketOf(flags)),
    'storage buckets update': ({ flags }, [url]) =>
      this.#set(bucketPath(url), {
        ...bucketOf(flags),
        lifecycle: readBody(flags['--lifecycle-file']),
      }),
    'storage buckets add-iam-policy-binding': (line, [url]) => this.#grant(bucketPath(url), line),
    'secrets add-iam-policy-binding': (line, [name]) =>
      this.#grant(`secretmanager/v1/secrets/${name}`, line),
    'secrets create': (_, [name]) => this.#createOnce(`secretmanager/v1/secrets/${name}`, {}),
    'secrets versions add': ({ flags }, [name]) => {
      this.secrets.set(name, readFileSync(flags['--data-file'] ?? '', 'utf8'));
    },
    'secrets update': ({ flags }, [name]) =>
      this.#set(`secretmanager/v1/secrets/${name}`, {
        labels: { key: (flags['--update-labels'] ?? '').split('=')[1] },
      }),
    'run jobs deploy': ({ flags }, [name]) => {
      const env = (flags['--set-env-vars'] ?? '')
        .split(',')
        .map((pair) => ({ name: pair.split('=')[0], value: pair.split('=')[1] }));
      const secrets = [...(flags['--set-secrets'] ?? '').matchAll(/(\w+)=([\w-]+):(\w+)/g)].map(
        ([, key, secret, version]) => ({
          name: key,
          valueSource: { secretKeyRef: { secret, version } },
        }),
      );
      const template = {
        serviceAccount: flags['--service-account'],
        containers: [{ image: flags['--image'], env: [...env, ...secrets] }],
      };
      this.#set(`run/v2/locations/${flags['--region']}/jobs/${name}`, { template: { template } });
    },
    'run jobs delete': ({ flags }, [name]) => {
      const path = `run/v2/locations/${flags['--region']}/jobs/${name}`;
      for (const one of [path, `${path}:getIamPolicy`]) this.things.delete(one);
    },
    'run jobs add-iam-policy-binding': (line, [name]) =>
      this.#grant(`run/v2/locations/${line.flags['--region']}/jobs/${name}`, line),
    'scheduler jobs create http': ({ flags }, [name]) =>
      this.#createOnce(`cloudscheduler/v1/locations/${flags['--location']}/jobs/${name}`, {
        state: 'ENABLED',
        ...scheduleOf(flags),
      }),
    'scheduler jobs update http': ({ flags }, [name]) =>
      this.#set(
        `cloudscheduler/v1/locations/${flags['--location']}/jobs/${name}`,
        scheduleOf(flags),
      ),
    'scheduler jobs resume': ({ flags }, [name]) =>
      this.#set(`cloudscheduler/v1/locations/${flags['--location']}/jobs/${name}`, {
        state: 'ENABLED',
      }),
    'scheduler jobs delete': ({ flags }, [name]) =>
      void this.things.delete(`cloudscheduler/v1/locations/${flags['--location']}/jobs/${name}`),
    'logging sinks update': ({ flags }) => {
      const [, name, filter] =
        /name=([^;]+);filter=([^;]+)/.exec(
          flags['--add-exclusion'] ?? flags['--update-exclusion'] ?? '',
        ) ?? [];
      this.#set('logging/v2/sinks/_Default', { exclusions: [{ name, filter }] });
    },
    'logging metrics create': ({ flags }, [name]) =>
      this.#createOnce(`logging/v2/metrics/${name}`, readBody(flags['--config-from-file'])),
    'logging metrics update': ({ flags }, [name]) =>
      this.#set(`logging/v2/metrics/${name}`, readBody(flags['--config-from-file'])),
    'beta monitoring channels create': ({ flags }) =>
      this.#add('monitoring/v3/notificationChannels', {
        type: flags['--type'],
        labels: { email_address: (flags['--channel-labels'] ?? '').split('=')[1] },
      }),
    'monitoring uptime create': ({ flags }, [displayName]) => {
      const host = /host=([^,]+)/.exec(flags['--resource-labels'] ?? '')?.[1];
      this.#add('monitoring/v3/uptimeCheckConfigs', {
        displayName,
        monitoredResource: { labels: { host } },
        ...uptimeOf(flags),
      });
    },
    'monitoring uptime update': ({ flags }, [name]) =>
      this.#set(`monitoring/v3/uptimeCheckConfigs/${name}`, uptimeOf(flags)),
    'alpha monitoring policies create': ({ flags }) =>
      this.#add('monitoring/v3/alertPolicies', readBody(flags['--policy-from-file'])),
    'alpha monitoring policies update': ({ flags }, [name]) =>
      this.#set(`monitoring/v3/alertPolicies/${name}`, readBody(flags['--policy-from-file'])),
    'monitoring dashboards create': ({ flags }) =>
      this.#add('monitoring/v1/dashboards', {
        ...readBody(flags['--config-from-file']),
        etag: 'e',
      }),
    'monitoring dashboards update': ({ flags }, [name]) =>
      readBody(flags['--config-from-file'])['etag'] === 'e'
        ? this.#set(`monitoring/v1/dashboards/${name}`, readBody(flags['--config-from-file']))
        : 'ABORTED: etag',
    'billing budgets create': ({ flags }) =>
      this.#add('billingbudgets/v1/budgets', {
        displayName: flags['--display-name'],
        ...budgetOf(flags),
      }),
    'billing budgets update': ({ flags }, [name]) =>
      this.#set(`billingbudgets/v1/budgets/${name}`, budgetOf(flags)),
    'run services update-traffic': ({ flags }) => this.#traffic(flags),
  };

  #firebase({ names, flags }: Line): string | undefined {
    const region = flags['--region'] ?? flags['--location'];
    const effects: Record<string, () => string | undefined | undefined> = {
      'projects:addfirebase': () => this.#createOnce('firebase/v1beta1', { projectId: PROJECT }),
      'apps:create': () =>
        this.#add('firebase/v1beta1/webApps', { displayName: names[2], appId: '1:123:web:abc' }),
      'functions:artifacts:setpolicy': () =>
        this.#set(`artifactregistry/v1/locations/${region}/repositories/gcf-artifacts`, {
          cleanupPolicies: {
            'firebase-functions-cleanup': {
              condition: { olderThan: `${Number(flags['--days']) * 86_400}s` },
            },
          },
        }),
      'functions:delete': () => {
        this.things.delete(`run/v2/locations/${region}/services/${SERVICE}`);
        this.things.delete(
          `cloudfunctions/v2/locations/${region}/functions/pohAttestationsEndpoint`,
        );
      },
      deploy: () => this.#deploy(flags['--only'] ?? ''),
    };
    return effects[names[0] ?? '']?.() ?? undefined;
  }

  #deploy(only: string): undefined {
    if (only.includes('functions')) {
      const text = readFileSync(join(this.folders.root, `.env.${PROJECT}`), 'utf8');
      const env = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => ({
        name,
        value,
      }));
      const parameter = (name: string) => env.find((one) => one.name === name)?.value ?? '';
      const region = parameter('LOOKUP_REGION');
      const path = `run/v2/locations/${region}/services/${SERVICE}`;
      this.#revisions += 1;
      const revision = `${SERVICE}-0000${this.#revisions}-abc`;
      const known = this.things.get(path)?.['trafficStatuses'] as Json[] | undefined;
      const isPinned = known?.some(({ type }) => type !== 'TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST');
      this.#set(path, {
        latestCreatedRevision: revision,
        trafficStatuses: isPinned
          ? known
          : [{ type: 'TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST', revision, percent: 100 }],
        template: {
          serviceAccount: parameter('LOOKUP_SERVICE_ACCOUNT'),
          scaling: { maxInstanceCount: Number(parameter('LOOKUP_MAX_INSTANCES')) },
          containers: [{ env }],
        },
      });
      this.#set(`cloudfunctions/v2/locations/${region}/functions/pohAttestationsEndpoint`, {});
      if (!this.things.has(`artifactregistry/v1/locations/${region}/repositories/gcf-artifacts`))
        this.#set(`artifactregistry/v1/locations/${region}/repositories/gcf-artifacts`, {});
    }
    if (only.includes('rules'))
      this.#set('firebaserules/v1/releases/cloud.firestore', {
        rulesetName: `projects/${PROJECT}/rulesets/1`,
      });
    if (only.includes('hosting')) this.#set('pages', { commit: readCommit() });
  }

  #traffic(flags: Flags): undefined {
    const [path = ''] = [...this.things.keys()].filter(
      (one) => one.endsWith(`/services/${SERVICE}`) && one.includes('/services/'),
    );
    const service = this.things.get(path);
    const latest = String(service?.['latestCreatedRevision']);
    let statuses = (service?.['trafficStatuses'] ?? []) as Json[];
    if ('--to-latest' in flags)
      statuses = [
        { type: 'TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST', revision: latest, percent: 100 },
      ];
    if (flags['--to-revisions'])
      statuses = flags['--to-revisions'].split(',').map((pair) => {
        const [revision = '', percent] = pair.split('=');
        const tag = statuses.find((one) => one['tag'] && one['revision'] === revision)?.['tag'];
        return { revision, percent: Number(percent), ...(tag !== undefined && { tag }) };
      });
    if (flags['--update-tags']) {
      const [tag, revision] = flags['--update-tags'].split('=');
      statuses = [...statuses, { revision, percent: 0, tag, uri: 'https://trial---poh.a.run.app' }];
    }
    this.things.set(path, { ...service, trafficStatuses: statuses });
  }

  fetch: Outside['fetch'] = async (url, { method = 'GET', body }) => {
    const { hostname, pathname, searchParams } = new URL(url);
    if (hostname.endsWith('.web.app'))
      return new Response(`commit <code>${this.things.get('pages')?.['commit']}</code>`);
    const api = hostname.replace('.googleapis.com', '');
    const path =
      api +
      pathname
        .replace(`/projects/${PROJECT}`, '')
        .replace('/admin/v2/', '/v2/')
        .replace('/billingAccounts/012345-6789AB-CDEF01', '')
        .replace('/storage/', '/');
    if (
      !/^(cloudresourcemanager|cloudbilling|serviceusage)$/.test(api) &&
      !this.things.has(`serviceusage/v1/services/${hostname}`)
    ) {
      return json(403, {
        error: { status: 'PERMISSION_DENIED', details: [{ reason: 'SERVICE_DISABLED' }] },
      });
    }
    if (path === 'cloudbilling/v1/billingAccounts')
      return json(200, {
        billingAccounts: [{ name: 'billingAccounts/012345-6789AB-CDEF01', open: true }],
      });
    if (path.startsWith(this.refuses))
      return json(403, { error: { message: 'The caller does not have permission' } });
    const isRead = method === 'GET' || /:getIamPolicy$|entries:list$/.test(path);
    if (isRead) return this.#read(path);
    const outcome = await this.#call(`${method} ${path}`, () =>
      this.#change(path, searchParams, JSON.parse(String(body ?? '{}'))),
    );
    if ('reply' in outcome) return json(403, { error: { message: outcome.reply } });
    return outcome.value ?? json(200, {});
  };

  #read(path: string): Response {
    const thing = this.things.get(path.replace(/\/iam$/, ':getIamPolicy'));
    if (thing) return json(200, thing);
    const target = path.replace(/:getIamPolicy$/, '');
    if (target !== path) return this.things.has(target) ? json(200, {}) : json(404, {});
    if (path.endsWith('entries:list')) return json(200, { entries: this.logged });
    if (path === 'cloudresourcemanager/v1')
      return json(403, { error: { message: 'The caller does not have permission' } });
    const list = path.split('/').at(-1) ?? '';
    const prefix = `${path.replace('/locations/-/', '/locations/')}/`;
    const items = [...this.things].filter(([one]) =>
      path.includes('/-/')
        ? one.startsWith('cloudfunctions/')
        : one.startsWith(prefix) && !one.slice(prefix.length).match(/[/:]/),
    );
    if (items.length > 0)
      return json(200, { [list === 'webApps' ? 'apps' : list]: items.map(([, item]) => item) });
    return /^(services|backupSchedules|sites|webApps|notificationChannels|uptimeCheckConfigs|alertPolicies|dashboards|budgets|functions|admins)$/.test(
      list,
    )
      ? json(200, {})
      : json(404, {});
  }

  #change(path: string, query: URLSearchParams, body: Json): Response | undefined {
    if (path.endsWith(':initializeAuth')) {
      if (this.things.has('identitytoolkit/v2/config'))
        return json(400, {
          error: { message: 'Identity Platform has already been enabled for this project.' },
        });
      this.#set('identitytoolkit/v2/config', {
        subtype: 'IDENTITY_PLATFORM',
        authorizedDomains: ['localhost'],
      });
    } else if (path.endsWith('/documents:commit')) {
      const [write] = body['writes'] as { update: { name: string; fields: Json } }[];
      this.things.set(`firestore/v1${write?.update.name.replace(`projects/${PROJECT}`, '')}`, {
        fields: write?.update.fields,
      });
    } else if (query.has('siteId')) {
      const type = query.get('siteId') === PROJECT ? 'DEFAULT_SITE' : 'USER_SITE';
      if (this.things.has(`${path}/${query.get('siteId')}`))
        return json(409, { error: { status: 'ALREADY_EXISTS' } });
      this.#set(`${path}/${query.get('siteId')}`, { type, ...body });
    } else if (path !== this.ignores) this.#set(path, body);
    return undefined;
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

const json = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), { status });
const databaseOf = (flags: Flags): Json => ({
  deleteProtectionState:
    '--delete-protection' in flags ? 'DELETE_PROTECTION_ENABLED' : 'DELETE_PROTECTION_DISABLED',
  pointInTimeRecoveryEnablement:
    '--enable-pitr' in flags ? 'POINT_IN_TIME_RECOVERY_ENABLED' : 'POINT_IN_TIME_RECOVERY_DISABLED',
});
const secondsOf = (weeks = ''): string => `${Number.parseInt(weeks, 10) * 7 * 86_400}s`;
const bucketPath = (url = ''): string => `storage/v1/b/${url.replace('gs://', '')}`;
const bucketOf = (flags: Flags): Json => ({
  iamConfiguration: {
    uniformBucketLevelAccess: { enabled: '--uniform-bucket-level-access' in flags },
    publicAccessPrevention: '--public-access-prevention' in flags ? 'enforced' : 'inherited',
  },
  softDeletePolicy: { retentionDurationSeconds: flags['--soft-delete-duration'] ?? '604800' },
});
const scheduleOf = (flags: Flags): Json => ({
  schedule: flags['--schedule'],
  httpTarget: { uri: flags['--uri'] },
});
const uptimeOf = (flags: Flags): Json => ({
  httpCheck: { path: flags['--path'], useSsl: true, maskHeaders: true },
  contentMatchers: [
    { content: flags['--matcher-content'], jsonPathMatcher: { jsonPath: flags['--json-path'] } },
  ],
  period: `${Number(flags['--period']) * 60}s`,
  timeout: `${flags['--timeout']}s`,
  userLabels: JSON.parse(flags['--user-labels'] ?? flags['--update-user-labels'] ?? '{}'),
});
const budgetOf = (flags: Flags): Json => ({
  amount: { specifiedAmount: { units: flags['--budget-amount'] } },
  notificationsRule: {
    monitoringNotificationChannels: (
      flags['--notifications-rule-monitoring-notification-channels'] ?? ''
    ).split(','),
  },
});
