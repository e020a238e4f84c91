// What the pages of both sites know of the deployment that they are built for, from deploy/settings.

import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';

// firebase-tools sets the variable for commands that it runs before a deployment.
const project = process.env['GCLOUD_PROJECT'] ?? '';
const file = new URL(`../deploy/settings/${project}.yaml`, import.meta.url);
/** The part that the pages need. A deployment has checked the file. */
const schema = z.object({
  operator: z.string(),
  help: z.string(),
  privacy: z.string(),
  pagesSite: z.string(),
  consoleSite: z.string(),
});
const settings = existsSync(file) ? schema.parse(parse(readFileSync(file, 'utf8'))) : undefined;

/** Who runs the service: their name, and the addresses of their help and privacy statement. Each may be empty. */
export const readOperator = () => ({
  name: settings?.operator ?? '',
  help: settings?.help ?? '',
  privacy: settings?.privacy ?? '',
});
export type Operator = Readonly<ReturnType<typeof readOperator>>;

/** The addresses of the operator's sites, and the Firebase project's id. */
export interface Addresses {
  readonly project?: string;
  readonly site?: string;
  readonly console?: string;
}

export const deployedAddresses = (): Addresses =>
  settings
    ? {
        project,
        site: `https://${settings.pagesSite}.web.app`,
        console: `https://${settings.consoleSite}.web.app`,
      }
    : {};
