// Sets up an empty project outside the repository to run the samples of the guide. The clients are
// installed from the built site, as the guide says.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSite } from '../../site/build.ts';
import { SITE_ADDRESS } from '../../site/markdown.ts';
import { type ServedSite, serveSite } from '../../tools/sandbox/hosting.ts';
import { HTTPX } from '../clients/drivers.ts';
import { readSamples, runProgram, saveSample } from './samples.ts';

export const SAMPLES = ['docs/integrating.md', 'docs/evidence.md'].flatMap(readSamples);
const RUNNABLE = SAMPLES.filter(
  ({ prints, language }) => prints !== undefined && (language !== 'python' || HTTPX !== undefined),
);

/** The samples that need only the site and the languages. */
export const OFFLINE_SAMPLES = RUNNABLE.filter(({ code }) => !code.includes('@solana/kit'));
export const TYPESCRIPT_SAMPLES = RUNNABLE.filter(({ language }) => language === 'ts');

/** The settings of npm, and of pip, which installs the Python client beside the samples. */
const INSTALLERS = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  PIP_TARGET: '.',
  PIP_NO_DEPS: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
};

export interface Project {
  readonly folder: string;
  readonly siteFolder: string;
  /** The site and the endpoint, served as by `npm start`. */
  readonly site: ServedSite;
  /** The site's address without a slash at its end. It replaces the address in the samples. */
  readonly address: string;
}

/** Runs commands in the project. @throws Error if they fail */
export async function shell(
  { folder, address }: Project,
  code: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const words = ['-euo', 'pipefail', '-c', code.replaceAll(SITE_ADDRESS, address)];
  const options = { cwd: folder, env: { ...INSTALLERS, ...env } };
  const { status, stdout, stderr } = await runProgram('bash', words, options);
  if (status !== 0) throw new Error(`${code}\nfailed:\n${stdout}${stderr}`);
}

/** @returns the text of a highlighted sample */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
    .trim();

/** @returns the commands of the site's guide that install the clients, which have hashes */
export const installCommands = (siteFolder: string): string[] =>
  [
    ...readFileSync(join(siteFolder, 'guide.html'), 'utf8').matchAll(
      /<code class="[^"]*language-sh">([\s\S]*?)<\/code>/g,
    ),
  ]
    .map(([, html = '']) => textOf(html))
    .filter((command) => /^(npm|pip) install/m.test(command));

/** Builds and serves the site, installs the clients as its guide says, and saves the samples. */
export async function makeGuideProject(): Promise<Project> {
  const siteFolder = mkdtempSync(join(tmpdir(), 'site-'));
  const site = await serveSite(0, siteFolder);
  const address = site.url.slice(0, -1);
  await buildSite(siteFolder, { local: true, addresses: { site: address } });
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  const project = { folder, siteFolder, site, address };
  for (const command of installCommands(siteFolder)) await shell(project, command);
  for (const sample of RUNNABLE) saveSample(sample, project.folder, address);
  return project;
}
