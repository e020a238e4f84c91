// Runs deploy/apply.sh with a gcloud that only records its calls, and lists what a test says. So these tests show what
// the script does about what exists, not whether Google accepts it. `gcloud.unit.test.ts` checks the commands.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { TOKEN_LIFETIME_MS } from '../../records/verificationToken.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { ALL, apply, dryRun, filesOf, PROGRAM, SITE, textOf } from './applyScript.ts';

const folder = temporaryFolder();
const KEY = 'a-key-of-the-uptime-check';
const keyFile = join(folder, 'key');
writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 });
const namesIn = (directory: string) =>
  filesOf(`deploy/${directory}/*.yaml`).map((file) => basename(file, '.yaml'));

/** Records a call. As gcloud, prints the file that is named like its words before the first option or path. */
const STUB = `#!/bin/bash
program=\${0##*/}
printf '%s\\n' "$program $*" >>"$STUB/calls"
[[ $program == gcloud ]] || exit 0
if [[ -n \${REFUSED-} && "$*" == *"$REFUSED"* && $(grep -cF -- "$REFUSED" "$STUB/calls") -le $TIMES ]]; then
  echo "$REASON" >&2
  exit 1
fi
name=
for word; do if [[ $word == --* || $word == */* ]]; then break; fi; name+=-$word; done
cat "$STUB/\${name:1}" 2>/dev/null || true
`;
const stubs = temporaryFolder();
for (const name of ['gcloud', 'curl', 'npm', 'sleep']) {
  writeFileSync(join(stubs, name), STUB, { mode: 0o755 });
}

/** @param listed the lines that gcloud prints, by the words of its command */
async function applyTo(
  listed: Record<string, readonly string[]>,
  env: Readonly<Record<string, string>> = {},
  words: readonly string[] = [...ALL, '--uptime-key-file', keyFile, '--firestore-location', 'nam5'],
) {
  const stub = mkdtempSync(join(folder, 'stub-'));
  for (const [words, lines] of Object.entries(listed)) {
    writeFileSync(join(stub, words.replaceAll(' ', '-')), `${lines.join('\n')}\n`);
  }
  const PATH = `${stubs}:${process.env['PATH']}`;
  const outcome = await apply(words, { STUB: stub, PATH, ...env });
  return { ...outcome, calls: readFileSync(join(stub, 'calls'), 'utf8').trim().split('\n') };
}

const titleOf = (alert: string) =>
  /^displayName: '(.*)'$/m.exec(textOf(`deploy/alerts/${alert}.yaml`))?.[1] ?? '';

/** Resources of others, with names that contain ours. */
const NEIGHBOURS = {
  'artifacts repositories list': ['poh-images'],
  'iam service-accounts list': ['poh-lookup-old@acme-poh.iam.gserviceaccount.com'],
  'iam roles list': ['pohKeyAdminOld'],
  'logging metrics list': ['poh-lookups-old'],
  'storage buckets list': ['acme-poh-poh-copies-old'],
  'scheduler jobs list': ['old-poh-audit'],
  'beta monitoring channels list': ['other-ops@example.com\tchannel-7'],
  'alpha monitoring policies list': [`${titleOf('server-errors')}, old\tpolicy-7\tchannel-7\tTrue`],
  'monitoring dashboards list': ['PoH attestations (old)\tdashboard-7\tetag'],
};
const first = await applyTo(NEIGHBOURS);
const imageTag = /_IMAGE=\S+:(\S+)/.exec(first.calls.join('\n'))?.[1] ?? '';
const EXISTING = {
  'firestore databases list': ['(default)'],
  'firestore backups schedules list': ['weekly\tschedule-7', 'daily\tschedule-1'],
  'firestore fields ttls list': ['createdAt'],
  'iam service-accounts list': (textOf('deploy/iam/accounts.txt').match(/^\S+/gm) ?? []).map(
    (name) => `${name}@acme-poh.iam.gserviceaccount.com`,
  ),
  'iam roles list': namesIn('iam'),
  'logging sinks describe _Default': ['poh-request-urls'],
  'logging metrics list': namesIn('logging/metrics'),
  'artifacts repositories list': ['poh'],
  'artifacts docker images list': [imageTag],
  'storage buckets list': ['acme-poh-poh-copies'],
  'scheduler jobs list': ['poh-audit'],
  'beta monitoring channels list': ['ops@example.com\tchannel-1'],
  'monitoring uptime list-configs': [`PoH: ${SITE}\tcheck-1`],
  'alpha monitoring policies list': namesIn('alerts').map(
    (name, index) =>
      `${titleOf(name)}\t${name}\t${index === 0 ? 'pager' : 'channel-1'}\t${index === 1 ? 'False' : 'True'}`,
  ),
  'monitoring dashboards list': ['PoH attestations\tdashboard-1\tetag-1'],
};
const CREATES = / create | submit | --add-exclusion |^curl /;
const UPDATES = /(?<!logging sinks|storage buckets) update(?!-traffic) | --update-exclusion /;

test('a new project gets everything, whatever has a similar name, and keeps valid tokens', () => {
  expect(first.status, first.output).toBe(0);
  expect(first.calls.filter((call) => UPDATES.test(call))).toEqual([]);
  const created = first.calls.filter((call) => CREATES.test(call));
  const total = Object.values(EXISTING).flat().length - 1; // except the weekly schedule
  expect(created).toHaveLength(total);
  const [, seconds] = /"expirationOffset":"(\d+)s"/.exec(first.calls.join('\n')) ?? [];
  expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(TOKEN_LIFETIME_MS);
});

test('the key of the uptime check is never in an argument or in the output', () => {
  expect([first.output, ...first.calls].join('\n')).not.toContain(KEY);
});

test('a second run creates nothing, and keeps what was changed by hand', async () => {
  const { status, output, calls } = await applyTo(EXISTING);
  expect(status, output).toBe(0);
  expect(calls.filter((call) => CREATES.test(call))).toEqual([]);
  const [withPager = '', disabled = '', ...others] = calls.filter((call) =>
    call.includes('policies update'),
  );
  expect(withPager).toContain('--enabled --set-notification-channels pager,channel-1');
  expect(disabled).toContain('--no-enabled --set-notification-channels channel-1');
  expect(others).toHaveLength(namesIn('alerts').length - 2);
});

const BINDING =
  'member serviceAccount:poh-audit@acme-poh.iam.gserviceaccount.com --role roles/datastore';

test.each([
  ['waits for an account that is too young', 'Service account poh-audit does not exist.', 3, 0, 3],
  ['gives up after 12 minutes', 'Service account poh-audit does not exist.', 99, 1, 36],
  ['stops at any other refusal', 'The caller lacks a permission.', 99, 1, 0],
])('%s', async (_title, REASON, times, expected, sleeps) => {
  const { status, output, calls } = await applyTo(EXISTING, {
    REFUSED: BINDING,
    REASON,
    TIMES: `${times}`,
  });
  expect(status, output).toBe(expected);
  expect(output).toContain(REASON);
  expect(calls.filter((call) => call === 'sleep 20')).toHaveLength(sleeps);
  if (expected !== 0) expect(output).toMatch(/Stopped: .*\n.*run the same command again/);
});

test('without a database it asks for a location', async () => {
  const { status, output } = await applyTo({}, {}, ALL);
  expect(output).toContain('Choose one with --firestore-location');
  expect(status).toBe(1);
});

test('a dry run prints every command for all files of deploy/, and runs none', async () => {
  const lines = (await dryRun()).join('\n');
  for (const directory of ['alerts', 'iam', 'jobs', 'logging/metrics']) {
    for (const name of namesIn(directory)) expect(lines).toContain(`${directory}/${name}.yaml`);
  }
});

test('without --program and --site it says what it skips', async () => {
  const { output } = await apply([...ALL.slice(0, 4), '--dry-run']);
  expect(output).toContain('To schedule it too, give the attestation program with --program.');
  expect(output).toContain(
    'Once the function is deployed, give the Hosting address with --site HOST.',
  );
  expect(output).not.toMatch(/RPC_URL|audit-findings\.yaml|unreachable\.yaml/);
});

test.each([
  [[], 'Give the id of the project: --project ID.'],
  [['--project', 'Acme DAO'], 'Give the id of the project: --project ID.'],
  [ALL.slice(0, 2), 'Give one e-mail address for the alerts: --alert-email ADDRESS.'],
  [[...ALL, '--program', `${PROGRAM},X=1`], 'Give the address of the program'],
  [[...ALL, '--site', `https://${SITE}`], 'Give the host of the Hosting site, without https://'],
  [[...ALL, '--uptime-key-file', '/nonexistent'], 'There is no API key in /nonexistent.'],
  [[...ALL, '--region', 'us-central1,europe-west1'], 'Give one region'],
  [['--project'], 'The option --project needs a value.'],
  [['--dryrun'], 'Unknown option --dryrun.'],
])('%j: %s', async (words, sentence) => {
  const { status, output } = await apply(words);
  expect(output.split('\n')[0]).toContain(sentence);
  expect(status).toBe(2);
});
