// The words in capitals of project.yaml and the files beside it, and the image of the scheduled job.

import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Outside } from './google.ts';
import { keyFile, storedKey } from './keys.ts';
import type { Settings } from './settings.ts';
import type { Words } from './state.ts';

const FOLDER = import.meta.dirname;
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/** @param folders undefined on a machine that has no keys */
export function wordsOf(
  project: string,
  settings: Settings,
  folders: Outside['folders'] | undefined,
): Words {
  const { location, region, sites, program, canary, signUp, github } = settings;
  const schedule = z
    .object({ '--schedule': z.string() })
    .parse(parse(read('jobs/poh-audit.schedule.yaml')));
  return {
    PROJECT: project,
    LOCATION: location,
    REGION: region,
    BILLING: settings.billingAccount,
    BUDGET: settings.budget,
    RECIPIENTS: settings.recipients,
    PAGES_SITE: sites.pages,
    CONSOLE_SITE: sites.console,
    SITE: `${sites.pages}.web.app`,
    CONSOLE: `${sites.console}.web.app`,
    CHAIN: program,
    WALLET: canary.wallet,
    EMAIL: canary.email,
    NO_SIGN_UP: !signUp,
    CAP: settings.maxInstances,
    READS: settings.readsPerSecond,
    VERIFIED_ONLY: settings.verifiedEmailOnly,
    GITHUB: github,
    EXCLUDED: read('logging/request-urls.filter').trim(),
    SCHEDULE: schedule['--schedule'],
    JOBS: join(FOLDER, 'jobs'),
    // Found later.
    CHANNELS: [],
    AUDITED: '',
    SECRETS: canary.wallet ? ['CANARY_KEY=poh-canary-key:latest'] : [],
    CANARY_SECRET: canary.wallet
      ? [{ name: 'CANARY_KEY', valueSource: { secretKeyRef: { version: 'latest' } } }]
      : [],
    CANARY_KEY_FILE: folders && keyFile(folders, project, 'canary'),
    // Undefined if this machine does not know which key is in use.
    CANARY_KEY_ID: folders && storedKey(folders, project, 'canary')?.id,
    UPTIME_KEY_ID: folders && storedKey(folders, project, 'uptime')?.id,
  };
}

/**
 * Puts everything that the job's image contains into a folder. The tag is new for each change, and each month, to include the
 * fixes of the base image.
 */
export async function prepareImage(outside: Outside, project: string): Promise<Words> {
  const folder = mkdtempSync(join(tmpdir(), 'poh-image-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(FOLDER, 'image'), folder, { recursive: true });
  for (const name of ['alerts', 'logging', 'jobs', 'project.yaml', 'uptime.yaml', 'dashboard.yaml'])
    cpSync(join(FOLDER, name), join(folder, name), { recursive: true });
  cpSync(
    join(outside.folders.settings, `${project}.yaml`),
    join(folder, `settings/${project}.yaml`),
  );
  cpSync(join(FOLDER, '../docs/runbook.md'), join(folder, 'runbook.md'));
  const { status, errors } = await outside.run('build', [folder, '--jobs']);
  if (status !== 0) throw new Error(errors);
  const hash = createHash('sha256');
  for (const file of globSync('**/*.*', { cwd: folder }).sort())
    hash.update(readFileSync(join(folder, file)));
  const month = new Date().toISOString().slice(0, 7);
  return { IMAGE_FOLDER: folder, IMAGE_TAG: `${month}-${hash.digest('hex').slice(0, 12)}` };
}
