// What the pages of both sites know of the deployment that they are built for, from deploy/settings.

import { FOLDERS } from '../deploy/google.ts';
import { type Settings, settingsOf } from '../deploy/settings.ts';

// firebase-tools sets the variable for commands that it runs before a deployment.
const settings = settingsOf(process.env['GCLOUD_PROJECT'], FOLDERS.settings);

/** Who runs the service: their name, and the addresses of their help and privacy statement. Each may be empty. */
export type Operator = Settings['operator'];

export const readOperator = (): Operator =>
  settings?.operator ?? { name: '', help: '', privacy: '' };

/** The addresses of the platform's sites. */
export interface Addresses {
  readonly site?: string;
  readonly console?: string;
}

export const deployedAddresses = (): Addresses =>
  settings
    ? {
        site: `https://${settings.sites.pages}.web.app`,
        console: `https://${settings.sites.console}.web.app`,
      }
    : {};
