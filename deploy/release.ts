// Deploys the function, the rules and the pages of this checkout, checks the result, and says what is left to do.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../cli/terminal/failure.ts';
import { formatTable } from '../cli/terminal/table.ts';
import { ENDPOINT_NAME } from '../contract/endpoint.ts';
import { COLLECTIONS } from '../records/storedValues.ts';
import { type Google, itemsOf, Refusal } from './google.ts';
import { LOOKUPS, MONTH_MS, readLog, readService, SERVICE, sendTraffic } from './service.ts';
import type { Settings } from './settings.ts';

export class Release {
  readonly google: Google;
  readonly region: string;
  readonly #settings: Settings;
  readonly #keyFile: string;
  readonly #url: string;
  /** Whether there was no function before, whose roles may not be effective yet. */
  #isFirst = false;
  /** Whether a roll back or a trial has pinned the traffic, and a person has agreed to send it on. */
  #isPinned = false;

  /** @param keyFile has the API key for smoke */
  constructor(google: Google, settings: Settings, keyFile: string) {
    this.google = google;
    this.region = settings.region;
    this.#settings = settings;
    this.#keyFile = keyFile;
    this.#url = `https://${settings.pagesSite}.web.app`;
  }

  /** Writes the files that firebase-tools and the build of the pages read. */
  #writeFiles(): void {
    const { maxInstances, readsPerSecond, verifiedEmailOnly, pagesSite, consoleSite } =
      this.#settings;
    const { project, outside } = this.google;
    const parameters = {
      LOOKUP_SERVICE_ACCOUNT: `poh-lookup@${project}.iam.gserviceaccount.com`,
      LOOKUP_REGION: this.region,
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

  /** Where else there is a function, after a move. */
  async #elsewhere(): Promise<string[]> {
    const path = 'cloudfunctions/v2/locations/-/functions?pageSize=100';
    const reply = await this.google.readIfThere(path, 'functions');
    return itemsOf(reply?.['functions'])
      .map((one) => z.object({ name: z.string() }).parse(one).name.split('/'))
      .filter((parts) => parts.at(-1) === ENDPOINT_NAME && parts[3] !== this.region)
      .map((parts) => parts[3] ?? '');
  }

  /** Asks about what a deployment would replace. */
  async confirmLosses(): Promise<void> {
    for (const old of await this.#elsewhere()) {
      await this.google.confirm(
        `The function moves from ${old} to ${this.region}. Addresses at cloudfunctions.net and run.app change. Do it?`,
      );
    }
    const rules = 'firebaserules/v1/releases/cloud.firestore';
    const release = await this.google.readIfThere(rules);
    const ruleset =
      release && (await this.google.read(this.google.named(rules, release['rulesetName'])));
    const text = JSON.stringify(ruleset?.['source'] ?? '');
    if (text.includes('match /') && !text.includes('verificationTokens')) {
      await this.google.confirm(
        'Firestore has rules of other software, which the deployment replaces. Merge them first (docs/deploy.md, "A project that is in use"). Replace them?',
      );
    }
  }

  /** Asks where a deployment sends traffic that is pinned, which otherwise stays where it is. */
  async confirmTraffic(): Promise<void> {
    const { pinned = [] } = (await readService(this.google, this.region)) ?? {};
    if (pinned.length === 0) return;
    const names = pinned.map(({ revision, percent }) => `${revision} (${percent} %)`);
    await this.google.confirm(
      `A roll back or a trial has pinned the traffic to ${names.join(', ')}. Deploy, and send all of it to the new revision?`,
    );
    this.#isPinned = true;
  }

  /** Deploys everything. @param keepImages makes images of earlier revisions stay */
  async deploy(keepImages: () => Promise<void>): Promise<void> {
    this.#writeFiles();
    const { outside } = this.google;
    const elsewhere = await this.#elsewhere();
    const isMove = elsewhere.length > 0;
    this.#isFirst = !isMove && !(await readService(this.google, this.region));
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
    await this.#patientlyIfFirst(() => this.google.firebase(words, isMove));
    await keepImages();

    if (this.#isPinned) await sendTraffic(this.google, this.region, '--to-latest', '--clear-tags');
    for (const region of elsewhere) await this.#removeFrom(region);
  }

  /** Deploys parts of this checkout, as firebase-tools names them. */
  async deployOnly(parts: string): Promise<void> {
    this.#writeFiles();
    await this.google.firebase(['deploy', '--only', parts, '--non-interactive']);
  }

  async #patientlyIfFirst(action: () => Promise<unknown>): Promise<void> {
    await (this.#isFirst ? this.google.patiently(action) : action());
  }

  /** Deletes the function in a region that it has left, with its job, once a person knows that nobody calls it. */
  async #removeFrom(region: string): Promise<void> {
    const filter = `${LOOKUPS} AND resource.labels.location="${region}"`;
    const [last] = await readLog(this.google, filter, MONTH_MS);
    const isAgreed = await this.google.agrees(
      `The function in ${region} had its last lookup ${last ? `at ${last.timestamp}` : 'more than 30 days ago'}. Delete it, and the scheduled job there? (If not, run this again later.)`,
    );
    if (!isAgreed) return;
    const job = `locations/${region}/jobs/poh-audit`;
    for (const path of [`cloudscheduler/v1/${job}`, `run/v2/${job}`])
      if (await this.google.read(path)) await this.google.change('DELETE', path);
    await this.google.firebase(['functions:delete', ENDPOINT_NAME, '--region', region, '--force']);
  }

  /** @returns the commit that the pages show */
  async servedCommit(): Promise<string | undefined> {
    const page = await this.google.outside.fetch(`${this.#url}/`, { redirect: 'error' }).then(
      (reply) => reply.text(),
      () => '',
    );
    return /commit <code>([^<]+)</.exec(page)?.[1];
  }

  /** Which server the newest instance has, as it says in its log. */
  async server(): Promise<string> {
    const starts = '(jsonPayload.server="own" OR jsonPayload.message:"taken over")';
    const filter = `${starts} AND resource.labels.service_name="${SERVICE}"`;
    const [start] = await readLog(this.google, filter, MONTH_MS);
    if (!start) return 'No instance of the function has started in 30 days.';
    const isOwn = start.jsonPayload['server'] === 'own';
    return `${isOwn ? 'Our own server' : "Google's framework"} answers (${start.timestamp}).`;
  }

  /** @param advice what to do if it fails, once the function serves */
  async smoke(advice?: string, url = this.#url): Promise<void> {
    const { canaryWallet } = this.#settings;
    const wallet = canaryWallet ? ['--verified', canaryWallet] : [];
    const words = ['smoke', '--url', url, '--key-file', this.#keyFile, ...wallet];
    const usual = `It serves already. If the one before was better, \`npm run deploy -- back --project ${this.google.project}\` sends the traffic back. If not, fix the cause, and run the same command again.`;
    await this.#patientlyIfFirst(() => this.google.run('admin', words)).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      throw new Failure(`${error.message}\n${advice ?? usual}`, { cause: error });
    });
  }

  /** Makes an account that a person has added the first admin. @returns what is left to do */
  async #makeFirstAdmin(): Promise<string[]> {
    const { project, outside } = this.google;
    const records = `firestore/v1/databases/(default)/documents/${COLLECTIONS.admins}?pageSize=1`;
    if ((await this.google.request('GET', records))?.['documents']) return [];
    const users = `https://console.firebase.google.com/project/${project}/authentication/users`;
    const answer = await outside.ask?.(
      `Add your account (${users} → Add user), and give its address, to become the first admin (empty for later): `,
    );
    const address = answer?.trim();
    if (!address)
      return [`Add your account (${users}), and run this again to become the first admin.`];
    const words = ['--firebase-project', project, 'admins', 'grant', address];
    try {
      await this.google.run('admin', words, { project, isInteractive: true });
      return [];
    } catch (error) {
      // The rest of the deployment is done, so this is left to do too.
      if (!(error instanceof Refusal)) throw error;
      return [`${address} is not an admin yet. Add the account (${users}), and run this again.`];
    }
  }

  /** What is where, and what a person still has to do. */
  async summary(manual: readonly string[]): Promise<string> {
    const { project } = this.google;
    const { consoleSite, help, privacy, program, canaryWallet, github } = this.#settings;
    const console = 'https://console.cloud.google.com';
    const where = [
      ['endpoint, pages', this.#url],
      ['admin area', `https://${consoleSite}.web.app/admin/`],
      ['identity proof', `https://${consoleSite}.web.app/identity/`],
      ['dashboard, alerts', `${console}/monitoring/dashboards?project=${project}`],
      ['log', `${console}/logs/query?project=${project}`],
      ['scheduled job', `${console}/run/jobs/details/${this.region}/poh-audit?project=${project}`],
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
}
