// Moves traffic between revisions of the function: a trial of a new one, and the way back to an earlier one. Where the
// traffic is, Google knows, so each can be interrupted and run again.

import { Failure } from '../cli/terminal/failure.ts';
import { HOUR_MS } from '../contract/endpoint.ts';
import type { Release } from './release.ts';
import {
  existingService,
  LOOKUPS,
  MONTH_MS,
  ofRevision,
  readLog,
  SERVICE,
  sendTraffic,
} from './service.ts';

/** Starts a trial of this checkout with 5 % of the traffic, or ends the one that runs. */
export async function trial(release: Release): Promise<void> {
  const { google, region } = release;
  const { serving: old, trial: running } = await existingService(google, region);
  if (running && running.percent > 0) return await endTrial(release, running.revision, old);
  await google.confirm(
    `Pin the traffic to ${old}, deploy this checkout's function without traffic, and test it?`,
  );
  await sendTraffic(google, region, '--to-revisions', `${old}=100`);
  await release.deployOnly('functions:poh-attestations');
  const { latest } = await existingService(google, region);
  if (latest === old) {
    await sendTraffic(google, region, '--to-latest');
    throw new Failure(
      'firebase-tools found no change of the function, so there is nothing to try.',
    );
  }
  await sendTraffic(google, region, '--update-tags', `trial=${latest}`);
  const advice = 'It gets no traffic. Correct the code, and start the trial again.';
  await release.smoke(advice, (await existingService(google, region)).trial?.uri);
  await google.confirm(`${latest} answers as it should. Send it 5 % of the traffic?`);
  await sendTraffic(google, region, '--to-revisions', `${latest}=5,${old}=95`);
  google.outside.say(
    'In an hour, run the same command again. It compares the two revisions, and ends the trial.',
  );
}

async function endTrial(release: Release, latest: string, old: string): Promise<void> {
  const { google, region } = release;
  for (const revision of [latest, old]) {
    const filter = `${LOOKUPS} AND ${ofRevision(revision)}`;
    const lines = await readLog(google, filter, HOUR_MS, 1000);
    const byStatus = Map.groupBy(lines, ({ jsonPayload }) => jsonPayload['status']);
    const counts = [...byStatus].map(([status, some]) => `, ${some.length} with ${status}`);
    google.outside.say(`${revision}: ${lines.length} lookups in the last hour${counts.join('')}`);
  }
  const question = `Send all traffic to ${latest} (new), or back to ${old} (old), or wait? [new/old/wait] `;
  const answer = await google.answer(question);
  if (answer === 'new') {
    // The traffic moves last, so that after an interruption the same command still ends this trial.
    await release.deployOnly('firestore:rules,hosting');
    await sendTraffic(google, region, '--to-latest', '--clear-tags');
    await release.smoke();
    google.outside.say(`The trial has ended. ${latest} gets all traffic.`);
  } else if (answer === 'old') {
    await sendTraffic(google, region, '--to-revisions', `${old}=100`, '--clear-tags');
    google.outside.say(
      'Revert the commit on main, and run `npm run deploy`, which asks to send the traffic on.',
    );
  } else google.outside.say('The trial goes on. To end it, run the same command again.');
}

/** Sends all traffic back to the revision that served well before. @param to a revision, if not that one */
export async function back(release: Release, to: string | undefined): Promise<void> {
  const { google, region } = release;
  const { serving, trial } = await existingService(google, region);
  // During a trial, the revision that served before is the one that still has most of the traffic.
  const isTrial = trial !== undefined && trial.percent > 0;
  const bad = isTrial ? trial.revision : serving;
  const chosen = to ?? (isTrial ? serving : undefined);
  const { project } = google;
  const names = `\`gcloud run revisions list --service ${SERVICE} --region ${region} --project ${project}\` names all.`;
  const path = `run/v2/locations/${region}/services/${SERVICE}/revisions/${chosen}`;
  if (chosen && !(await google.request('GET', path)))
    throw new Failure(`There is no revision ${chosen}. Nothing was changed. ${names}`);
  const revision = chosen ? ofRevision(chosen) : `NOT ${ofRevision(bad)}`;
  const served = `${LOOKUPS} AND jsonPayload.code="ok" AND resource.labels.service_name="${SERVICE}"`;
  const [last] = await readLog(google, `${served} AND ${revision}`, MONTH_MS);
  const good = chosen ?? last?.resource.labels['revision_name'];
  if (good === undefined)
    throw new Failure(
      `In 30 days, no revision but ${bad} has answered a lookup. Name one with --to. ${names}`,
    );
  const starts = `jsonPayload.message="started" AND ${ofRevision(good)}`;
  const [started] = await readLog(google, starts, MONTH_MS);
  const commit = started?.jsonPayload['commit'];
  await google.confirm(
    `Send all traffic from ${bad} to ${good} (commit ${commit ?? 'unknown'}, last lookup ${last?.timestamp ?? 'unknown'})?`,
  );
  await sendTraffic(google, region, '--to-revisions', `${good}=100`);
  await release.smoke(
    `${good} serves, but not as it should either. Choose another with --to. ${names}`,
  );
  const rest = isTrial ? 'those from before the trial' : 'still those of the bad deployment';
  const among = commit === undefined ? '' : ` (one of git log ${commit}..origin/main)`;
  google.outside.say(
    `${good} serves. Rules and pages are ${rest}. Revert its commit on main${among}, and run \`npm run deploy\` there.`,
  );
}
