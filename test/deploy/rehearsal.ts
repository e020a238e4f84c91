// Creates a project in the double of Google, and a checkout to deploy from.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type GoogleProject, startGoogleProject } from '../../tools/doubles/deployment/project.ts';
import { DEFAULT_ACCOUNT } from '../../tools/doubles/deployment/rules.ts';
import { type Checkout, makeCheckout, type Outcome, skipPredeploy } from './checkout.ts';
import { documentedCommand } from './documents.ts';

export const ID = 'acme-poh';
export const FIRST = 'For the first time';
export const DEPLOYING_AGAIN = documentedCommand('Deploying again', 'npx firebase deploy', ID);
export const SERVICE = `projects/${ID}/locations/us-central1/services/pohattestationsendpoint`;
export const FUNCTION = `projects/${ID}/locations/us-central1/functions/pohAttestationsEndpoint`;
export const TIMEOUT = { timeout: 180_000 };
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Rehearsal extends AsyncDisposable {
  readonly checkout: Checkout;
  readonly project: GoogleProject;
  /** Runs a command, and types the answers to its prompts. */
  readonly run: (command: string, answers?: Record<string, string>) => Promise<Outcome>;
  /** Runs a command that must succeed. */
  readonly succeed: (command: string) => Promise<Outcome>;
  /** The regions of the function. */
  readonly regions: () => (string | undefined)[];
}

/** Creates the state after the steps that do not use firebase-tools. */
export async function startRehearsal(): Promise<Rehearsal> {
  const checkout = makeCheckout();
  const project = await startGoogleProject(ID);
  const account = `projects/${ID}/serviceAccounts/poh-lookup@${ID}.iam.gserviceaccount.com`;
  project.store.put(`projects/${ID}/databases/(default)`, {
    type: 'FIRESTORE_NATIVE',
    locationId: 'nam5',
  });
  project.store.put(account, {});
  allowBuilds(project);
  project.store.put(`projects/${ID}/sites/${ID}`, { type: 'DEFAULT_SITE' });
  const run: Rehearsal['run'] = (command, answers) => checkout.run(command, project.env, answers);
  return {
    checkout,
    project,
    run,
    async succeed(command) {
      const outcome = await run(command);
      expect(outcome.status, `${command}\n${outcome.output}`).toBe(0);
      return outcome;
    },
    regions: () => project.store.names('functions').map((name) => name.split('/')[3]),
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      checkout[Symbol.dispose]();
    },
  };
}

/** @param words a part of exactly one command of the section */
export const documented = (words: string, heading = FIRST): string =>
  documentedCommand(heading, words, ID);

/** Creates the state after the first steps without running them, because that is slow; `firebase.test.ts` runs them. */
export async function prepare({ checkout, project, succeed }: Rehearsal): Promise<void> {
  const inCheckout = (...path: string[]) => join(checkout.folder, ...path);
  cpSync(join(ROOT, 'functions/lib'), inCheckout('functions/lib'), { recursive: true });
  const targets = { site: [`${ID}-attestations`], console: [`${ID}-console`] };
  for (const [target, [site]] of Object.entries(targets)) {
    project.store.put(`projects/${ID}/sites/${site}`, {});
    mkdirSync(inCheckout('public', target), { recursive: true });
    writeFileSync(inCheckout('public', target, 'index.html'), target);
  }
  const settings = { targets: { [ID]: { hosting: targets } } };
  writeFileSync(inCheckout('.firebaserc'), JSON.stringify(settings));
  skipPredeploy(checkout);
  await succeed(documented("printf '%s"));
}

/** Grants the role without which Google does not build a function, as `deploy/apply.sh` does. */
export function allowBuilds({ id, store }: GoogleProject): void {
  const members = [`serviceAccount:${DEFAULT_ACCOUNT}`];
  const bindings = [{ role: 'roles/cloudbuild.builds.builder', members }];
  store.policies.set(`projects/${id}`, { bindings });
}
