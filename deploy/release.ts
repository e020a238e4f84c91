// Deploys the function, the rules and the pages of this checkout, moves traffic between revisions, and checks the result.
// Where the traffic is, Google knows, so each command can be interrupted and run again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../cli/terminal/failure.ts';
import { formatTable } from '../cli/terminal/table.ts';
import { DAY_MS } from '../contract/endpoint.ts';
import { COLLECTIONS } from '../records/storedValues.ts';
import { type Google, itemsOf, Refusal } from './google.ts';
import type { Settings } from './settings.ts';

const SERVICE = 'pohattestationsendpoint';
const FUNCTION = 'pohAttestationsEndpoint';
const nameOf = (path = ''): string => path.split('/').at(-1) ?? '';

const serviceSchema = z.object({
  latestCreatedRevision: z.string().transform(nameOf),
  createTime: z.string().optional(),
  trafficStatuses: z
    .array(
      z.object({
        type: z.string().optional(),
        revision: z.string().optional(),
        percent: z.number().default(0),
        tag: z.string().optional(),
        uri: z.string().optional(),
      }),
    )
    .default([]),
});

/** Nothing of an API that is off exists, nor of a project that Google does not know. */
function absentWithoutApi(error: unknown): undefined {
  if (error instanceof Refusal && /SERVICE_DISABLED|has not been used|^403/.test(error.reply))
    return undefined;
  throw error;
}

/** A question that only yes answers. @throws Failure otherwise, or without a terminal */
export async function confirm({ outside }: Google, question: string): Promise<void> {
  if (!outside.ask)
    throw new Failure(
      `${question}\nThis needs an answer. Run the command on a terminal. Nothing was changed.`,
    );
  const answer = await outside.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new Failure('Stopped, as you wish. Run the same command again to go on.');
}

export class Release {
  readonly #google: Google;
  readonly #settings: Settings;
  readonly #base: string;
  /** Whether there was no function before, whose roles may not be effective yet. */
  #isFirst = false;

  constructor(google: Google, settings: Settings) {
    this.#google = google;
    this.#settings = settings;
    this.#base = `https://run.googleapis.com/v2/projects/${google.project}/locations/${settings.region}/services`;
  }

  /** The files that firebase-tools and the build of the pages read. */
  writeFiles(): void {
    const { region, maxInstances, readsPerSecond, verifiedEmailOnly, sites } = this.#settings;
    const { project } = this.#google;
    const parameters = {
      LOOKUP_SERVICE_ACCOUNT: `poh-lookup@${project}.iam.gserviceaccount.com`,
      LOOKUP_REGION: region,
      LOOKUP_MAX_INSTANCES: maxInstances,
      LOOKUP_READS_PER_SECOND: readsPerSecond,
      LOOKUP_VERIFIED_EMAIL_ONLY: verifiedEmailOnly,
    };
    const lines = Object.entries(parameters).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(
      join(this.#google.outside.folders.root, `.env.${project}`),
      `# Written by npm run deploy from deploy/settings/${project}.yaml.\n${lines.join('')}`,
    );
    const hosting = { site: [sites.pages], console: [sites.console] };
    const targets = { [project]: { hosting } };
    writeFileSync(
      join(this.#google.outside.folders.root, '.firebaserc'),
      `${JSON.stringify({ targets }, null, 2)}\n`,
    );
  }

  async #service() {
    this.#google.forget();
    const found = await this.#google.read(`${this.#base}/${SERVICE}`);
    return found && serviceSchema.parse(found);
  }

  /** Where else there is a function, after a move. */
  async regionsElsewhere(): Promise<string[]> {
    const url = `https://cloudfunctions.googleapis.com/v2/projects/${this.#google.project}/locations/-/functions?pageSize=100`;
    const reply = await this.#google.read(url, 'functions').catch(absentWithoutApi);
    return itemsOf(reply?.['functions'])
      .map((one) => z.object({ name: z.string() }).parse(one).name.split('/'))
      .filter((parts) => parts.at(-1) === FUNCTION && parts[3] !== this.#settings.region)
      .map((parts) => parts[3] ?? '');
  }

  /** Asks Google's log for lookups or starts. */
  async #entries(filter: string, pageSize = 1) {
    const entry = z.object({
      timestamp: z.string(),
      resource: z.object({ labels: z.record(z.string(), z.string()) }),
      jsonPayload: z.record(z.string(), z.unknown()),
    });
    const body = {
      resourceNames: [`projects/${this.#google.project}`],
      filter,
      orderBy: 'timestamp desc',
      pageSize,
    };
    const reply = await this.#google.request(
      'POST',
      'https://logging.googleapis.com/v2/entries:list',
      body,
    );
    return itemsOf(reply?.['entries']).map((one) => entry.parse(one));
  }

  async #firebase(
    only: string,
    options: readonly string[] = [],
    interactive = false,
  ): Promise<void> {
    const env = { GOOGLE_CLOUD_QUOTA_PROJECT: this.#google.project };
    const words = ['deploy', '--project', this.#google.project, '--only', only, ...options];
    await this.#google.run('firebase', words, { interactive, env });
  }

  /** Asks about what a deployment would replace. */
  async confirmLosses(): Promise<void> {
    const { project } = this.#google;
    for (const region of await this.regionsElsewhere()) {
      await confirm(
        this.#google,
        `The function moves from ${region} to ${this.#settings.region}. Addresses at cloudfunctions.net and run.app change. Do it?`,
      );
    }
    const rules = 'https://firebaserules.googleapis.com/v1';
    const read = (path: string) => this.#google.read(`${rules}/${path}`).catch(absentWithoutApi);
    const release = await read(`projects/${project}/releases/cloud.firestore`);
    const ruleset = release && (await read(String(release['rulesetName'])));
    const text = JSON.stringify(ruleset?.['source'] ?? '');
    if (text.includes('match /') && !text.includes('verificationTokens'))
      await confirm(
        this.#google,
        'Firestore has rules of other software, which the deployment replaces. Merge them first (docs/deploy.md, "A project that is in use"). Replace them?',
      );
  }

  /** Deploys everything. @param keepImages makes images of earlier revisions stay */
  async deploy(keepImages: () => Promise<void>): Promise<void> {
    this.writeFiles();
    const elsewhere = await this.regionsElsewhere();
    const isFirst = !(await this.#service()) && elsewhere.length === 0;
    this.#isFirst = isFirst;
    if (!isFirst && elsewhere.length === 0) await keepImages();
    if (elsewhere.length > 0 && !this.#google.outside.ask)
      throw new Failure(
        `There is a function in ${elsewhere.join(' and ')} too. Deploy on a terminal, where firebase-tools asks about it.`,
      );
    if (elsewhere.length > 0)
      this.#google.outside.say(
        'firebase-tools will ask whether to delete the function in the old region. Answer No: its callers still use it.',
      );
    // Without a function there is nothing that --force could take away. Otherwise the end of the first deployment would fail.
    const options = isFirst
      ? ['--force', '--non-interactive']
      : elsewhere.length > 0
        ? []
        : ['--non-interactive'];
    const attempt = () =>
      this.#firebase('functions,firestore:rules,hosting', options, elsewhere.length > 0);
    await (isFirst ? this.#google.patiently(attempt) : attempt());
    await keepImages();
    await this.#sendTraffic();
    for (const region of elsewhere) await this.#removeOld(region);
  }

  /** After a roll back or a trial, a deployment gets no traffic until a person says so. */
  async #sendTraffic(): Promise<void> {
    const service = await this.#service();
    const pinned =
      service?.trafficStatuses.filter(
        ({ revision, percent }) =>
          percent > 0 && revision && revision !== service.latestCreatedRevision,
      ) ?? [];
    if (!service || pinned.length === 0) return;
    const names = pinned.map(({ revision, percent }) => `${revision} (${percent} %)`).join(', ');
    await confirm(
      this.#google,
      `A roll back or a trial has pinned the traffic to ${names}. Send all of it to the new revision ${service.latestCreatedRevision}?`,
    );
    await this.#traffic('--to-latest', '--clear-tags');
  }

  async #traffic(...options: readonly string[]): Promise<void> {
    const { project } = this.#google;
    const words = [
      'run',
      'services',
      'update-traffic',
      SERVICE,
      '--region',
      this.#settings.region,
      ...options,
    ];
    await this.#google.patiently(() =>
      this.#google.run('gcloud', [...words, '--project', project]),
    );
  }

  /** Deletes the function in the region that it has left, once nobody calls it and a person agrees. */
  async #removeOld(region: string): Promise<void> {
    const { project } = this.#google;
    const job = `https://run.googleapis.com/v2/projects/${project}/locations/${region}/jobs/poh-audit`;
    if (await this.#google.read(job)) {
      await confirm(
        this.#google,
        `The scheduled job runs in ${this.#settings.region} now. Delete the one in ${region}, and its schedule?`,
      );
      const schedule = `https://cloudscheduler.googleapis.com/v1/projects/${project}/locations/${region}/jobs/poh-audit`;
      if (await this.#google.read(schedule))
        await this.#google.run('gcloud', [
          'scheduler',
          'jobs',
          'delete',
          'poh-audit',
          '--location',
          region,
          '--project',
          project,
        ]);
      await this.#google.run('gcloud', [
        'run',
        'jobs',
        'delete',
        'poh-audit',
        '--region',
        region,
        '--project',
        project,
      ]);
    }
    const since = new Date(Date.now() - DAY_MS).toISOString();
    const filter = `jsonPayload.message="lookup" AND resource.labels.location="${region}" AND timestamp>="${since}"`;
    const [called] = await this.#entries(filter);
    if (called) {
      this.#google.outside.say(
        `The function in ${region} still answers lookups (${called.timestamp}), so it stays. Once it had none for a day, run the same command again.`,
      );
      return;
    }
    await confirm(
      this.#google,
      `Nobody has called the function in ${region} for a day. Delete it?`,
    );
    await this.#google.run('firebase', [
      'functions:delete',
      FUNCTION,
      '--region',
      region,
      '--project',
      this.#google.project,
      '--force',
    ]);
  }

  /** @returns the commit that the pages show */
  async servedCommit(): Promise<string | undefined> {
    const { outside } = this.#google;
    const page = await outside
      .fetch(`https://${this.#settings.sites.pages}.web.app/`, { redirect: 'error' })
      .then(
        (reply) => reply.text(),
        () => '',
      );
    return /commit <code>([^<]+)</.exec(page)?.[1];
  }

  async smoke(
    keyFile: string,
    url = `https://${this.#settings.sites.pages}.web.app`,
  ): Promise<void> {
    const attempt = () => this.#google.run('admin', ['smoke', '--url', url, '--key-file', keyFile]);
    await (this.#isFirst ? this.#google.patiently(attempt) : attempt());
  }

  /** What is where, and what a person still has to do. */
  async summary(keyFile: string, manual: readonly string[]): Promise<string> {
    const { project } = this.#google;
    const { sites, canary, region, github } = this.#settings;
    const console = 'https://console.cloud.google.com';
    const admins = await this.#google.request(
      'GET',
      `https://firestore.googleapis.com/v1/projects/${project}/databases/(default)/documents/${COLLECTIONS.admins}?pageSize=1`,
    );
    const where = [
      ['endpoint, pages', `https://${sites.pages}.web.app`],
      ['admin area', `https://${sites.console}.web.app/admin/`],
      ['identity proof', `https://${sites.console}.web.app/identity/`],
      ['dashboard, alerts', `${console}/monitoring/dashboards?project=${project}`],
      ['log', `${console}/logs/query?project=${project}`],
      ['scheduled job', `${console}/run/jobs/details/${region}/poh-audit?project=${project}`],
      ['daily copies', `gs://${project}-poh-copies`],
      ['key of smoke', keyFile],
      ['settings', `deploy/settings/${project}.yaml`],
    ];
    const todo = [
      ...manual,
      ...(admins?.['documents']
        ? []
        : [
            `Add your account (Firebase console → Authentication → Add user), and make it the first admin: npm run -s admin -- --firebase-project ${project} admins grant ADDRESS`,
          ]),
      ...(canary.wallet
        ? []
        : [
            'Once a wallet is verified, write it into the settings (canary.wallet), and run this again. Until then, nothing is looked up from outside.',
          ]),
      ...(github && this.#isFirst ? ['Prepare GitHub (docs/deploy.md, "From CI").'] : []),
      'Commit the settings, so that your colleagues and CI deploy the same.',
    ];
    return `\n${formatTable(['WHAT', 'WHERE'], where).join('\n')}\n\nLeft to do:\n${todo.map((one) => `- ${one}`).join('\n')}`;
  }

  /** Starts a trial of this checkout with 5 % of the traffic, or ends the one that runs. */
  async trial(keyFile: string): Promise<void> {
    const service = await this.#service();
    if (!service) throw new Failure('There is no function yet. Run `npm run deploy` first.');
    const [trial] = service.trafficStatuses.filter(
      ({ tag, percent }) => tag === 'trial' && percent > 0,
    );
    const serving = service.trafficStatuses.toSorted((a, b) => b.percent - a.percent)[0]?.revision;
    const old = nameOf(serving) || service.latestCreatedRevision;
    if (trial) return await this.#endTrial(nameOf(trial.revision), old);
    await confirm(
      this.#google,
      `Pin the traffic to ${old}, deploy this checkout's function without traffic, and test it?`,
    );
    await this.#traffic('--to-revisions', `${old}=100`);
    this.writeFiles();
    await this.#firebase('functions:poh-attestations', ['--non-interactive']);
    const latest = (await this.#service())?.latestCreatedRevision ?? old;
    if (latest === old) {
      await this.#traffic('--to-latest');
      throw new Failure(
        'firebase-tools found no change of the function, so there is nothing to try.',
      );
    }
    await this.#traffic('--update-tags', `trial=${latest}`);
    const uri =
      (await this.#service())?.trafficStatuses.find(({ tag }) => tag === 'trial')?.uri ?? '';
    await this.smoke(keyFile, uri);
    await confirm(this.#google, `${latest} answers as it should. Send it 5 % of the traffic?`);
    await this.#traffic('--to-revisions', `${latest}=5,${old}=95`);
    this.#google.outside.say(
      'In an hour, run the same command again. It compares the two revisions, and ends the trial.',
    );
  }

  async #endTrial(latest: string, old: string): Promise<void> {
    const counts = await Promise.all(
      [latest, old].map(async (revision) => {
        const filter = `jsonPayload.message="lookup" AND resource.labels.revision_name="${revision}" AND timestamp>="${new Date(Date.now() - 3_600_000).toISOString()}"`;
        const statuses = (await this.#entries(filter, 1000)).map(({ jsonPayload }) =>
          String(jsonPayload['status']),
        );
        const shares = Map.groupBy(statuses, (status) => status);
        return `${revision}: ${statuses.length} lookups in the last hour (${[...shares].map(([status, some]) => `${status}: ${some.length}`).join(', ') || 'none'})`;
      }),
    );
    this.#google.outside.say(counts.join('\n'));
    const answer = await this.#google.outside.ask?.(
      `Send all traffic to ${latest} (new), or back to ${old} (old), or wait? [new/old/wait] `,
    );
    if (answer?.trim() === 'new') {
      await this.#traffic('--to-latest', '--clear-tags');
      await this.#firebase('firestore:rules,hosting', ['--non-interactive']);
    } else if (answer?.trim() === 'old') {
      await this.#traffic('--to-revisions', `${old}=100`, '--clear-tags');
      this.#google.outside.say(
        'Revert the commit on main, and run `npm run deploy`, which asks to send the traffic on.',
      );
    }
  }

  /** Sends all traffic back to the revision that served well before. @param to a revision, if not that one */
  async back(keyFile: string, to: string | undefined): Promise<void> {
    const service = await this.#service();
    const serving = service?.trafficStatuses.toSorted((a, b) => b.percent - a.percent)[0];
    const bad = nameOf(serving?.revision) || service?.latestCreatedRevision;
    if (!service || !bad) throw new Failure('There is no function yet.');
    const served = `jsonPayload.message="lookup" AND jsonPayload.code="ok" AND resource.labels.service_name="${SERVICE}"`;
    const month = new Date(Date.now() - 30 * DAY_MS).toISOString();
    const [first] = await this.#entries(
      `${served} AND resource.labels.revision_name${to ? `="${to}"` : `!="${bad}"`} AND timestamp>="${month}"`,
    );
    const good = to ?? first?.resource.labels['revision_name'];
    if (good === undefined)
      throw new Failure(
        `In 30 days, no revision but ${bad} has answered a lookup. Name one with --to.`,
      );
    const [started] = await this.#entries(
      `jsonPayload.message="started" AND resource.labels.revision_name="${good}" AND timestamp>="${month}"`,
    );
    const commit = String(started?.jsonPayload['commit'] ?? 'unknown');
    await confirm(
      this.#google,
      `Send all traffic from ${bad} to ${good} (commit ${commit}, last lookup ${first?.timestamp ?? 'unknown'})?`,
    );
    await this.#traffic('--to-revisions', `${good}=100`);
    await this.smoke(keyFile);
    this.#google.outside.say(
      `${good} serves. Rules and pages are still those of the bad deployment. Revert its commit on main (one of git log ${commit}..origin/main), and run \`npm run deploy\` there.`,
    );
  }
}
