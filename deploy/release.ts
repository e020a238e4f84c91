// Deploys the function, the rules and the pages of this checkout, moves traffic between revisions, and checks the result.
// Where the traffic is, Google knows, so each command can be interrupted and run again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../cli/terminal/failure.ts';
import { formatTable } from '../cli/terminal/table.ts';
import { DAY_MS, ENDPOINT_NAME, HOUR_MS } from '../contract/endpoint.ts';
import { COLLECTIONS } from '../records/storedValues.ts';
import { type Google, itemsOf, Refusal } from './google.ts';
import type { Settings } from './settings.ts';

const SERVICE = ENDPOINT_NAME.toLowerCase();
const lastOf = (path = ''): string => path.split('/').at(-1) ?? '';

const target = z.object({
  revision: z.string().optional().transform(lastOf),
  percent: z.number().default(0),
  tag: z.string().optional(),
  uri: z.string().optional(),
});
/** The latest revision, the one with the most traffic, and others than the latest with any. */
const serviceSchema = z
  .object({
    latestCreatedRevision: z.string().transform(lastOf),
    trafficStatuses: z.array(target).default([]),
  })
  .transform(({ latestCreatedRevision: latest, trafficStatuses }) => {
    // Google may leave out the name of the latest one.
    const targets = trafficStatuses.map((one) => ({ ...one, revision: one.revision || latest }));
    const serving = targets.toSorted((a, b) => b.percent - a.percent)[0]?.revision ?? latest;
    const pinned = targets.filter(({ revision, percent }) => percent > 0 && revision !== latest);
    return { latest, serving, pinned, trial: targets.find(({ tag }) => tag === 'trial') };
  });

const logSchema = z.array(
  z.object({
    timestamp: z.string(),
    resource: z.object({ labels: z.record(z.string(), z.string()) }),
    jsonPayload: z.record(z.string(), z.unknown()),
  }),
);
const MONTH_MS = 30 * DAY_MS;
const LOOKUPS = 'jsonPayload.message="lookup"';

/** The newest lines of the function's log. */
export async function readLog(google: Google, filter: string, ms: number, pageSize = 1) {
  const since = new Date(Date.now() - ms).toISOString();
  const reply = await google.request('POST', 'https://logging.googleapis.com/v2/entries:list', {
    resourceNames: [`projects/${google.project}`],
    filter: `${filter} AND timestamp>="${since}"`,
    orderBy: 'timestamp desc',
    pageSize,
  });
  return logSchema.parse(reply?.['entries'] ?? []);
}
const ofRevision = (name: string): string => `resource.labels.revision_name="${name}"`;

export class Release {
  readonly #google: Google;
  readonly #settings: Settings;
  readonly #keyFile: string;
  readonly #url: string;
  /** Whether there was no function before, whose roles may not be effective yet. */
  #isFirst = false;

  /** @param keyFile has the API key for smoke */
  constructor(google: Google, settings: Settings, keyFile: string) {
    this.#google = google;
    this.#settings = settings;
    this.#keyFile = keyFile;
    this.#url = `https://${settings.pagesSite}.web.app`;
  }

  /** Writes the files that firebase-tools and the build of the pages read. */
  #writeFiles(): void {
    const { region, maxInstances, readsPerSecond, verifiedEmailOnly, pagesSite, consoleSite } =
      this.#settings;
    const { project, outside } = this.#google;
    const parameters = {
      LOOKUP_SERVICE_ACCOUNT: `poh-lookup@${project}.iam.gserviceaccount.com`,
      LOOKUP_REGION: region,
      LOOKUP_MAX_INSTANCES: maxInstances,
      LOOKUP_READS_PER_SECOND: readsPerSecond,
      LOOKUP_VERIFIED_EMAIL_ONLY: verifiedEmailOnly,
    };
    const lines = Object.entries(parameters).map(([name, value]) => `${name}=${value}\n`);
    const heading = `# Written by npm run deploy from deploy/settings/${project}.yaml.\n`;
    writeFileSync(join(outside.folders.root, `.env.${project}`), heading + lines.join(''));
    const hosting = { site: [pagesSite], console: [consoleSite] };
    const targets = JSON.stringify({ targets: { [project]: { hosting } } }, null, 2);
    writeFileSync(join(outside.folders.root, '.firebaserc'), `${targets}\n`);
  }

  /** The function, if there is one, and where its traffic goes. */
  async service() {
    const path = `run/v2/locations/${this.#settings.region}/services/${SERVICE}`;
    const found = await this.#google.readIfThere(path);
    return found && serviceSchema.parse(found);
  }

  /** As `service`. @throws Failure if there is none */
  async existing() {
    const service = await this.service();
    if (service) return service;
    throw new Failure('There is no function yet. Run `npm run deploy` first.');
  }

  /** Where else there is a function, after a move. */
  async #elsewhere(): Promise<string[]> {
    const path = 'cloudfunctions/v2/locations/-/functions?pageSize=100';
    const reply = await this.#google.readIfThere(path, 'functions');
    return itemsOf(reply?.['functions'])
      .map((one) => z.object({ name: z.string() }).parse(one).name.split('/'))
      .filter((parts) => parts.at(-1) === ENDPOINT_NAME && parts[3] !== this.#settings.region)
      .map((parts) => parts[3] ?? '');
  }

  /** Asks about what a deployment would replace. */
  async confirmLosses(): Promise<void> {
    const { region } = this.#settings;
    for (const old of await this.#elsewhere()) {
      await this.#google.confirm(
        `The function moves from ${old} to ${region}. Addresses at cloudfunctions.net and run.app change. Do it?`,
      );
    }
    const rules = 'firebaserules/v1/releases/cloud.firestore';
    const release = await this.#google.readIfThere(rules);
    const ruleset =
      release && (await this.#google.read(this.#google.named(rules, release['rulesetName'])));
    const text = JSON.stringify(ruleset?.['source'] ?? '');
    if (text.includes('match /') && !text.includes('verificationTokens')) {
      await this.#google.confirm(
        'Firestore has rules of other software, which the deployment replaces. Merge them first (docs/deploy.md, "A project that is in use"). Replace them?',
      );
    }
  }

  /** Deploys everything. @param keepImages makes images of earlier revisions stay */
  async deploy(keepImages: () => Promise<void>): Promise<void> {
    this.#writeFiles();
    const { outside } = this.#google;
    const elsewhere = await this.#elsewhere();
    const isMove = elsewhere.length > 0;
    this.#isFirst = !isMove && !(await this.service());
    if (isMove && !outside.ask)
      throw new Failure(
        `There is a function in ${elsewhere.join(' and ')} too. Deploy on a terminal, where firebase-tools asks about it.`,
      );
    if (isMove)
      outside.say(
        'firebase-tools will ask whether to delete the function in the old region. Answer No: its callers still use it.',
      );
    else if (!this.#isFirst) await keepImages();
    const words = ['deploy', '--only', 'functions,firestore:rules,hosting'];
    if (!isMove) words.push('--non-interactive');
    // Without a function there is nothing that this could take away. Otherwise the end of the first deployment would fail.
    if (this.#isFirst) words.push('--force');
    await this.#patientlyIfFirst(() => this.#google.firebase(words, isMove));
    await keepImages();

    // After a roll back or a trial, a deployment gets no traffic until a person says so.
    const { latest, pinned } = await this.existing();
    if (pinned.length > 0) {
      const names = pinned.map(({ revision, percent }) => `${revision} (${percent} %)`);
      await this.#google.confirm(
        `${latest} is deployed, but a roll back or a trial has pinned the traffic to ${names.join(', ')}. Send all of it to ${latest}?`,
      );
      await this.#send('--to-latest', '--clear-tags');
    }
    for (const region of elsewhere) await this.#removeFrom(region);
  }

  async #deployOnly(parts: string): Promise<void> {
    await this.#google.firebase(['deploy', '--only', parts, '--non-interactive']);
  }

  async #patientlyIfFirst(action: () => Promise<unknown>): Promise<void> {
    await (this.#isFirst ? this.#google.patiently(action) : action());
  }

  /** Moves traffic. */
  async #send(...options: readonly string[]): Promise<void> {
    const words = ['run', 'services', 'update-traffic', SERVICE, '--region', this.#settings.region];
    await this.#google.patiently(() => this.#google.gcloud(...words, ...options));
  }

  /** Deletes the function in a region that it has left, with its job, once a person knows that nobody calls it. */
  async #removeFrom(region: string): Promise<void> {
    const filter = `${LOOKUPS} AND resource.labels.location="${region}"`;
    const [last] = await readLog(this.#google, filter, MONTH_MS);
    const isAgreed = await this.#google.agrees(
      `The function in ${region} had its last lookup ${last ? `at ${last.timestamp}` : 'more than 30 days ago'}. Delete it, and the scheduled job there? (If not, run this again later.)`,
    );
    if (!isAgreed) return;
    const job = `locations/${region}/jobs/poh-audit`;
    for (const path of [`cloudscheduler/v1/${job}`, `run/v2/${job}`])
      if (await this.#google.read(path)) await this.#google.change('DELETE', path);
    await this.#google.firebase(['functions:delete', ENDPOINT_NAME, '--region', region, '--force']);
  }

  /** @returns the commit that the pages show */
  async servedCommit(): Promise<string | undefined> {
    const page = await this.#google.outside.fetch(`${this.#url}/`, { redirect: 'error' }).then(
      (reply) => reply.text(),
      () => '',
    );
    return /commit <code>([^<]+)</.exec(page)?.[1];
  }

  /** Which server the newest instance has, as it says in its log. */
  async server(): Promise<string> {
    const starts = '(jsonPayload.server="own" OR jsonPayload.message:"taken over")';
    const filter = `${starts} AND resource.labels.service_name="${SERVICE}"`;
    const [start] = await readLog(this.#google, filter, MONTH_MS);
    if (!start) return 'No instance of the function has started in 30 days.';
    const isOwn = start.jsonPayload['server'] === 'own';
    return `${isOwn ? 'Our own server' : "Google's framework"} answers (${start.timestamp}).`;
  }

  /** @param advice what to do if it fails, once the function serves */
  async smoke(advice?: string, url = this.#url): Promise<void> {
    const { canaryWallet } = this.#settings;
    const wallet = canaryWallet ? ['--verified', canaryWallet] : [];
    const words = ['smoke', '--url', url, '--key-file', this.#keyFile, ...wallet];
    const usual = `It serves already. If the one before was better, \`npm run deploy -- back --project ${this.#google.project}\` sends the traffic back. If not, fix the cause, and run the same command again.`;
    await this.#patientlyIfFirst(() => this.#google.run('admin', words)).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      throw new Failure(`${error.message}\n${advice ?? usual}`, { cause: error });
    });
  }

  /** Makes an account that a person has added the first admin. @returns what is left to do */
  async #makeFirstAdmin(): Promise<string[]> {
    const { project, outside } = this.#google;
    const records = `firestore/v1/databases/(default)/documents/${COLLECTIONS.admins}?pageSize=1`;
    if ((await this.#google.request('GET', records))?.['documents']) return [];
    const users = `https://console.firebase.google.com/project/${project}/authentication/users`;
    const answer = await outside.ask?.(
      `Add your account (${users} → Add user), and give its address, to become the first admin (empty for later): `,
    );
    const address = answer?.trim();
    if (!address)
      return [`Add your account (${users}), and run this again to become the first admin.`];
    const words = ['--firebase-project', project, 'admins', 'grant', address];
    try {
      await this.#google.run('admin', words, { project, isInteractive: true });
      return [];
    } catch (error) {
      // The rest of the deployment is done, so this is left to do too.
      if (!(error instanceof Refusal)) throw error;
      return [`${address} is not an admin yet. Add the account (${users}), and run this again.`];
    }
  }

  /** What is where, and what a person still has to do. */
  async summary(manual: readonly string[]): Promise<string> {
    const { project } = this.#google;
    const { consoleSite, help, privacy, program, canaryWallet, region, github } = this.#settings;
    const console = 'https://console.cloud.google.com';
    const where = [
      ['endpoint, pages', this.#url],
      ['admin area', `https://${consoleSite}.web.app/admin/`],
      ['identity proof', `https://${consoleSite}.web.app/identity/`],
      ['dashboard, alerts', `${console}/monitoring/dashboards?project=${project}`],
      ['log', `${console}/logs/query?project=${project}`],
      ['scheduled job', `${console}/run/jobs/details/${region}/poh-audit?project=${project}`],
      ['daily copies', `gs://${project}-poh-copies`],
      ['key of smoke', this.#keyFile],
      ['settings', `deploy/settings/${project}.yaml`],
    ];
    const todo = [
      ...manual,
      ...(await this.#makeFirstAdmin()),
      !(help && privacy) &&
        'Write the addresses of your help and your privacy statement into the settings (help, privacy).',
      !program &&
        'Once you know the attestation program, write its address into the settings (program), and run this again. Until then, the mirror is not audited.',
      !canaryWallet &&
        `Once a wallet is verified, write it into the settings (canaryWallet), run this again, and then \`npm run deploy -- drill --project ${project}\`, which provokes every alert. Until then, nothing is looked up from outside.`,
      this.#isFirst && 'Keep the clients (docs/deploy.md, "Deploying again").',
      github && this.#isFirst && 'Prepare GitHub (docs/deploy.md, "From CI").',
      'Commit the settings, so that your colleagues and CI deploy the same.',
    ].filter(Boolean);
    return `\n${formatTable(['WHAT', 'WHERE'], where).join('\n')}\n\nLeft to do:\n- ${todo.join('\n- ')}`;
  }

  /** Starts a trial of this checkout with 5 % of the traffic, or ends the one that runs. */
  async trial(): Promise<void> {
    const { serving: old, trial } = await this.existing();
    if (trial && trial.percent > 0) return await this.#endTrial(trial.revision, old);
    await this.#google.confirm(
      `Pin the traffic to ${old}, deploy this checkout's function without traffic, and test it?`,
    );
    await this.#send('--to-revisions', `${old}=100`);
    this.#writeFiles();
    await this.#deployOnly('functions:poh-attestations');
    const { latest } = await this.existing();
    if (latest === old) {
      await this.#send('--to-latest');
      throw new Failure(
        'firebase-tools found no change of the function, so there is nothing to try.',
      );
    }
    await this.#send('--update-tags', `trial=${latest}`);
    const advice = 'It gets no traffic. Correct the code, and start the trial again.';
    await this.smoke(advice, (await this.existing()).trial?.uri);
    await this.#google.confirm(`${latest} answers as it should. Send it 5 % of the traffic?`);
    await this.#send('--to-revisions', `${latest}=5,${old}=95`);
    this.#google.outside.say(
      'In an hour, run the same command again. It compares the two revisions, and ends the trial.',
    );
  }

  async #endTrial(latest: string, old: string): Promise<void> {
    for (const revision of [latest, old]) {
      const filter = `${LOOKUPS} AND ${ofRevision(revision)}`;
      const lines = await readLog(this.#google, filter, HOUR_MS, 1000);
      const byStatus = Map.groupBy(lines, ({ jsonPayload }) => jsonPayload['status']);
      const counts = [...byStatus].map(([status, some]) => `, ${some.length} with ${status}`);
      this.#google.outside.say(
        `${revision}: ${lines.length} lookups in the last hour${counts.join('')}`,
      );
    }
    const question = `Send all traffic to ${latest} (new), or back to ${old} (old), or wait? [new/old/wait] `;
    const answer = await this.#google.answer(question);
    if (answer === 'new') {
      await this.#send('--to-latest', '--clear-tags');
      await this.#deployOnly('firestore:rules,hosting');
      await this.smoke();
      this.#google.outside.say(`The trial has ended. ${latest} gets all traffic.`);
    } else if (answer === 'old') {
      await this.#send('--to-revisions', `${old}=100`, '--clear-tags');
      this.#google.outside.say(
        'Revert the commit on main, and run `npm run deploy`, which asks to send the traffic on.',
      );
    } else this.#google.outside.say('The trial goes on. To end it, run the same command again.');
  }

  /** Sends all traffic back to the revision that served well before. @param to a revision, if not that one */
  async back(to: string | undefined): Promise<void> {
    const { serving, trial } = await this.existing();
    // During a trial, the revision that served before is the one that still has most of the traffic.
    const isTrial = trial !== undefined && trial.percent > 0;
    const bad = isTrial ? trial.revision : serving;
    const chosen = to ?? (isTrial ? serving : undefined);
    const { project } = this.#google;
    const { region } = this.#settings;
    const names = `\`gcloud run revisions list --service ${SERVICE} --region ${region} --project ${project}\` names all.`;
    const path = `run/v2/locations/${region}/services/${SERVICE}/revisions/${chosen}`;
    if (chosen && !(await this.#google.request('GET', path)))
      throw new Failure(`There is no revision ${chosen}. Nothing was changed. ${names}`);
    const revision = chosen ? ofRevision(chosen) : `NOT ${ofRevision(bad)}`;
    const served = `${LOOKUPS} AND jsonPayload.code="ok" AND resource.labels.service_name="${SERVICE}"`;
    const [last] = await readLog(this.#google, `${served} AND ${revision}`, MONTH_MS);
    const good = chosen ?? last?.resource.labels['revision_name'];
    if (good === undefined)
      throw new Failure(
        `In 30 days, no revision but ${bad} has answered a lookup. Name one with --to. ${names}`,
      );
    const starts = `jsonPayload.message="started" AND ${ofRevision(good)}`;
    const [started] = await readLog(this.#google, starts, MONTH_MS);
    const commit = started?.jsonPayload['commit'];
    await this.#google.confirm(
      `Send all traffic from ${bad} to ${good} (commit ${commit ?? 'unknown'}, last lookup ${last?.timestamp ?? 'unknown'})?`,
    );
    await this.#send('--to-revisions', `${good}=100`);
    await this.smoke(
      `${good} serves, but not as it should either. Choose another with --to. ${names}`,
    );
    const rest = isTrial ? 'those from before the trial' : 'still those of the bad deployment';
    const among = commit === undefined ? '' : ` (one of git log ${commit}..origin/main)`;
    this.#google.outside.say(
      `${good} serves. Rules and pages are ${rest}. Revert its commit on main${among}, and run \`npm run deploy\` there.`,
    );
  }
}
