// The drill: provokes what each alert is for, with keys of its own that it deletes, to see that each mail arrives. The
// alerts over the log see real lines of the function and the job. Those over metrics would need an outage, so for them the
// drill makes a copy whose thresholds every deployment exceeds. test/alerts runs the first part on the emulators.

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { endpointOf } from '../cli/smoke/checks.ts';
import { Failure } from '../cli/terminal/failure.ts';
import { DAY_MS, HOUR_MS } from '../contract/endpoint.ts';
import { type Alert, readAlerts } from './alerts.ts';
import { type Google, itemsOf, Refusal } from './google.ts';
import { writeKey } from './keys.ts';
import { existingService, readLog } from './service.ts';

/** The records of the keys of the drill, and the status that each gets. */
const KEYS = () => [
  { record: { active: false }, expected: 401 },
  { record: { active: 'yes' }, expected: 401 },
  { record: { active: true, expiresAt: new Date(Date.now() + 5 * DAY_MS) }, expected: 200 },
];

/** Provokes a line for each alert over the log. @param url of the site or the function */
export async function provokeLines(google: Google, url: string, region: string): Promise<void> {
  const keys = KEYS().map((one) => ({ ...one, key: `drill-${randomUUID()}` }));
  try {
    for (const { key, record, expected } of keys) {
      await writeKey(google, key, { ...record, project: 'Drill' });
      // No wallet has this address.
      const target = `${endpointOf(new URL(url))}?wallet=${'1'.repeat(32)}`;
      const { status } = await google.outside.fetch(target, { headers: { 'X-PoH-API-Key': key } });
      if (status === expected) continue;
      throw new Failure(`A lookup of the drill got ${status}. Run \`npm run deploy\` first.`);
    }
    const job = ['run', 'jobs', 'execute', 'poh-audit', '--region', region, '--wait'];
    // No copy can be written there, and every mirror has stopped, also one that is synced now by a clock that is ahead.
    const variables = 'COPIES=/nonexistent,MAX_SYNC_HOURS=-1';
    await google.gcloud(...job, '--update-env-vars', variables).catch((error: unknown) => {
      // It ends with a failure, as it should. Whether it ran, the log says.
      if (!(error instanceof Refusal)) throw error;
    });
  } finally {
    for (const { key } of keys) await writeKey(google, key);
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

export const filterOf = ({ conditions }: Alert): string | undefined =>
  conditions[0]?.conditionMatchedLog?.filter;

const policySchema = z.object({
  name: z.string(),
  displayName: z.string(),
  notificationChannels: z.array(z.string()).default([]),
});
const POLICIES = 'monitoring/v3/alertPolicies';

/** Deletes the copies, also those of a drill that was interrupted. @returns the other alerts */
async function deleteCopies(google: Google) {
  const reply = await google.read(POLICIES, 'alertPolicies');
  const all = itemsOf(reply?.['alertPolicies']).map((one) => policySchema.parse(one));
  const isCopy = ({ displayName }: { displayName: string }) => displayName.startsWith(TITLE);
  for (const { name } of all.filter(isCopy))
    await google.change('DELETE', google.named(POLICIES, name));
  return all.filter((one) => !isCopy(one));
}

/** Google evaluates a new alert, and mails, within some minutes. */
const WAIT_MINUTES = 20;

/** Provokes each alert on a real project, and says which mails to expect. @param site the host of the pages */
export async function drill(google: Google, region: string, site: string): Promise<void> {
  const { say, sleep } = google.outside;
  await existingService(google, region);
  const existing = await deleteCopies(google);
  const alerts = [...readAlerts({ project: google.project, region, site }).values()];
  for (const alert of alerts.filter((one) => filterOf(one) === undefined)) {
    const known = existing.find(({ displayName }) => displayName === alert.displayName);
    const { notificationChannels = [] } = known ?? {};
    await google.change('POST', POLICIES, { ...exceeded(alert), notificationChannels });
  }
  await provokeLines(google, `https://${site}`, region);
  say(`Waiting ${WAIT_MINUTES} minutes for the mails. If you stop it, the next drill cleans up.`);
  await sleep(WAIT_MINUTES * 60_000);
  let missing = 0;
  for (const alert of alerts) {
    const filter = filterOf(alert);
    const isMissing = filter !== undefined && (await readLog(google, filter, HOUR_MS)).length === 0;
    const title = filter === undefined ? TITLE + alert.displayName : alert.displayName;
    say(isMissing ? `NOTHING IN THE LOG: ${title}` : `Expect a mail: ${title}`);
    missing += Number(isMissing);
  }
  say(
    'If a mail does not come, check the recipients in the settings. About lookups from outside, one comes only if there is a canaryWallet.',
  );
  await deleteCopies(google);
  if (missing > 0)
    throw new Failure(
      `Nothing was logged for ${missing} alerts. See the log of the function and of the scheduled job, and run the drill again.`,
    );
}
