// The drill: provokes what each alert is for, with keys of its own that it deletes, to see that each mail arrives. The
// alerts over the log see real lines of the function and the job. Those over metrics would need an outage, so for them the
// drill makes a copy whose thresholds every deployment exceeds.
//   npm run deploy -- drill --project ID   on a project, in half an hour
//   npm run emulators -- node deploy/drill.ts   only those over the log, on the emulators

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import * as z from 'zod';
import { connect } from '../cli/frame/firebaseProject.ts';
import { endpointOf } from '../cli/smoke/checks.ts';
import { Failure, runScript } from '../cli/terminal/failure.ts';
import { DAY_MS } from '../contract/endpoint.ts';
import { hashApiKey } from '../records/apiKey.ts';
import { COLLECTIONS } from '../records/storedValues.ts';
import { openEmulators } from '../tools/sandbox/demonstration.ts';
import { EMULATED_PROJECT } from '../tools/sandbox/emulatorAddresses.ts';
import { serveFunction } from '../tools/sandbox/servedFunction.ts';
import { type Alert, type Place, readAlerts } from './alerts.ts';
import { entryOf, matches } from './logFilter.ts';

/** The records of the keys of the drill. */
const RECORDS = () => ({
  revoked: { active: false },
  unusable: { active: 'yes' },
  ending: { active: true, expiresAt: Timestamp.fromMillis(Date.now() + 5 * DAY_MS) },
});

export interface Ground {
  readonly db: Firestore;
  /** The address of the site or the function. */
  readonly url: string;
  /** Runs the hourly job with these variables in addition, and waits for its end, which is a failure. */
  readonly runJob: (variables: Readonly<Record<string, string>>) => Promise<void>;
}

/** Provokes a line for each alert over the log. */
export async function provokeLog({ db, url, runJob }: Ground): Promise<void> {
  const keys = Object.entries(RECORDS()).map(([name, record]) => {
    const key = `drill-${name}-${randomUUID()}`;
    const stored = db.collection(COLLECTIONS.apiKeys).doc(hashApiKey(key));
    return { key, stored, record: { ...record, project: 'Drill', createdAt: Timestamp.now() } };
  });
  try {
    for (const { key, stored, record } of keys) {
      await stored.set(record);
      // No wallet has this address.
      const target = `${endpointOf(new URL(url))}?wallet=${'1'.repeat(32)}`;
      const { status } = await fetch(target, { headers: { 'X-PoH-API-Key': key } });
      if (status === (record.active === true ? 200 : 401)) continue;
      throw new Failure(`A lookup of the drill got ${status}. Run \`npm run deploy\` first.`);
    }
    // No copy can be written there, and every mirror was last synced more than 0 hours ago.
    await runJob({ COPIES: '/nonexistent', MAX_SYNC_HOURS: '0' });
  } finally {
    await Promise.all(keys.map(({ stored }) => stored.delete()));
  }
}

const TITLE = 'DRILL: ';

/** @returns the alert with thresholds that every deployment exceeds */
export function exceeded(alert: Alert): Alert {
  const conditions = JSON.stringify(alert.conditions)
    .replaceAll(/ > [\d.]+/g, ' > -1')
    .replaceAll(/ < [\d.]+/g, ' < 1e9')
    .replaceAll(/"thresholdValue":\d+/g, '"thresholdValue":-1')
    .replaceAll(/"duration":"\d+s"/g, '"duration":"0s"')
    // There may never have been a failure.
    .replaceAll('response_code_class=\\"5xx\\"', 'response_code_class!=\\"5xx\\"')
    .replaceAll('code=\\"internal\\"', 'code=\\"ok\\"')
    .replaceAll('poh-turned-away', 'poh-lookups');
  return { ...alert, displayName: TITLE + alert.displayName, conditions: JSON.parse(conditions) };
}

const filterOf = ({ conditions }: Alert): string | undefined =>
  conditions[0]?.conditionMatchedLog?.filter;

/** @returns the entries that the drill has provoked on the emulators, and which of them each alert over the log matches */
export async function drillOnEmulators(place: Place) {
  const folder = mkdtempSync(join(tmpdir(), 'drill-'));
  cpSync(join(import.meta.dirname, 'image'), folder, { recursive: true });
  const build = join(import.meta.dirname, '../tools/build.ts');
  spawnSync(process.execPath, [build, folder, '--jobs'], { stdio: 'inherit' });
  const served = await serveFunction();
  let printed = '';
  const runJob: Ground['runJob'] = async (variables) => {
    const env = {
      ...process.env,
      GOOGLE_CLOUD_PROJECT: EMULATED_PROJECT,
      PROGRAM: '',
      ...variables,
    };
    printed = spawnSync('bash', [join(folder, 'hourly.sh')], { env, encoding: 'utf8' }).stdout;
  };
  try {
    await provokeLog({ db: openEmulators().db, url: served.url, runJob });
  } finally {
    await served.stop();
    rmSync(folder, { recursive: true });
  }
  const entriesIn = (output: string, type: Parameters<typeof entryOf>[1]) =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => entryOf(line, type));
  const entries = [
    ...entriesIn(served.output(), 'cloud_run_revision'),
    ...entriesIn(printed, 'cloud_run_job'),
  ];
  const found = [...readAlerts(place)].flatMap(([name, alert]) => {
    const filter = filterOf(alert);
    if (filter === undefined) return [];
    return [[name, entries.filter((entry) => matches(filter, entry))] as const];
  });
  return { entries, found: new Map(found) };
}

/** How a drill works on a real project. `npm run deploy` has these. */
export interface Tools {
  run(program: 'gcloud', words: readonly string[]): Promise<string>;
  say(line: string): void;
  sleep(ms: number): Promise<void>;
}

/** Google evaluates a new alert, and mails, within some minutes. */
const WAIT_MINUTES = 20;

const policySchema = z.array(
  z.object({
    name: z.string(),
    displayName: z.string(),
    notificationChannels: z.array(z.string()).default([]),
  }),
);

/** Provokes each alert on a real project, and says which mails to expect. A drill that was interrupted is ended by the next. */
export async function drill(place: Place, { run, say, sleep }: Tools): Promise<void> {
  const { project, region, site } = place;
  const gcloud = (...words: string[]) => run('gcloud', [...words, '--project', project]);
  const policies = ['alpha', 'monitoring', 'policies'] as const;
  const readPolicies = async () =>
    policySchema.parse(JSON.parse(await gcloud(...policies, 'list', '--format', 'json')));
  const deleteCopies = async (): Promise<void> => {
    const copies = (await readPolicies()).filter((one) => one.displayName.startsWith(TITLE));
    for (const { name } of copies) await gcloud(...policies, 'delete', name);
  };
  await deleteCopies();
  const channels = new Map(
    (await readPolicies()).map((one) => [one.displayName, one.notificationChannels]),
  );
  const alerts = [...readAlerts(place).values()];
  const folder = mkdtempSync(join(tmpdir(), 'drill-'));
  for (const alert of alerts.filter((one) => filterOf(one) === undefined)) {
    const file = join(folder, 'alert.json');
    writeFileSync(file, JSON.stringify(exceeded(alert)));
    const to = channels.get(alert.displayName)?.join(',') ?? '';
    await gcloud(...policies, 'create', '--policy-from-file', file, '--notification-channels', to);
  }
  const { db } = await connect(project, false);
  const runJob: Ground['runJob'] = async (variables) => {
    const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const words = ['run', 'jobs', 'execute', 'poh-audit', '--region', region, '--wait'];
    // It ends with a failure, as it should. Whether it ran, the log says below.
    await gcloud(...words, '--update-env-vars', set.join(',')).catch(() => undefined);
  };
  await provokeLog({ db, url: `https://${site}`, runJob });
  say(`Waiting ${WAIT_MINUTES} minutes for the mails. To stop earlier is safe.`);
  await sleep(WAIT_MINUTES * 60_000);
  for (const alert of alerts) {
    const filter = filterOf(alert);
    const read = ['logging', 'read', filter ?? '', '--freshness', '1h', '--limit', '1'] as const;
    const isMissing = filter !== undefined && (await gcloud(...read, '--format', 'json')) === '[]';
    const title = filter === undefined ? TITLE + alert.displayName : alert.displayName;
    say(isMissing ? `NOTHING IN THE LOG: ${title}` : `Expect a mail: ${title}`);
  }
  await deleteCopies();
}

if (import.meta.main) {
  await runScript(async () => {
    const { found } = await drillOnEmulators({ project: EMULATED_PROJECT, region: '-', site: '-' });
    for (const [alert, entries] of found)
      console.log(`${alert}: ${entries.length || 'NO'} lines match`);
    return [...found.values()].every((entries) => entries.length > 0) ? 0 : 1;
  });
}
