// Documented rules by which Google's servers refuse requests of a deployment. Each rule names its source.

import { ALERT_RULES } from './alertRules.ts';
import type { Resource } from './collections.ts';
import { exists, missing, type Project, type Refusal, type Rule } from './rule.ts';

export const PROJECT_NUMBER = '123456789012';
/** Cloud Functions builds with this account, and by default functions run as it. */
export const DEFAULT_ACCOUNT = `${PROJECT_NUMBER}-compute@developer.gserviceaccount.com`;

const JOBS = /^namespaces\/.*\/jobs\//;

export const RULES: readonly Rule[] = [
  ...ALERT_RULES,
  {
    on: /\/backupSchedules\//,
    source:
      'proto firestore/admin/v1/firestore_admin.proto, CreateBackupSchedule: one daily, one weekly',
    status: 409,
    refuse: (resource, store, name) =>
      store
        .names('backupSchedules')
        .some((one) => one !== name && store.resources.get(one)?.['dailyRecurrence']) &&
      resource['dailyRecurrence']
        ? 'The database already has a daily backup schedule.'
        : undefined,
  },
  {
    on: JOBS,
    source:
      'cloud.google.com/run/docs/configuring/jobs/secrets and service-identity: the secret and the account must exist',
    refuse: (resource, store) => {
      const text = JSON.stringify(resource);
      const account = /"serviceAccountName":"([^"]*)"/.exec(text)?.[1] ?? 'default';
      const secret = /"secretKeyRef":\{"key":"latest","name":"([^"]*)"/.exec(text)?.[1];
      return exists(store, 'serviceAccounts', account)
        ? missing(
            secret !== undefined && !exists(store, 'secrets', secret) ? secret : undefined,
            'secret',
          )
        : missing(account, 'service account');
    },
  },
  {
    on: JOBS,
    source: 'cloud.google.com/run/docs/troubleshooting: the image must exist',
    refuse: (resource, store) => {
      const image = /"image":"([^"]*)"/.exec(JSON.stringify(resource))?.[1] ?? '';
      return missing(store.resources.has(`images/${image}`) ? undefined : image, 'image');
    },
  },
  {
    on: /\/functions\//,
    source: 'cloud.google.com/functions/docs/reference/rest/v2 ServiceConfig.serviceAccountEmail',
    refuse: (resource, store) => {
      const email = /"serviceAccountEmail":"([^"]*)"/.exec(JSON.stringify(resource))?.[1];
      return email === undefined ? undefined : wrongMember(`serviceAccount:${email}`, store);
    },
  },
  {
    on: /\/functions\//,
    source:
      'cloud.google.com/functions/docs/troubleshooting#build-service-account; automatic grants are off in organisations created since May 2024',
    refuse: (_resource, { policies }, name) => {
      const roles = policies.get(name.split('/', 2).join('/'))?.bindings ?? [];
      const builders = roles.find(({ role }) => role === 'roles/cloudbuild.builds.builder');
      return builders?.members.includes(`serviceAccount:${DEFAULT_ACCOUNT}`)
        ? undefined
        : 'Could not build the function due to a missing permission on the build service account.';
    },
  },
];

export function brokenRule(name: string, resource: Resource, store: Project): Refusal | undefined {
  for (const { on, status = 400, refuse } of RULES) {
    const message = on.test(name) ? refuse(resource, store, name) : undefined;
    if (message !== undefined) return { status, message };
  }
  return undefined;
}

/** An account or a pool of identities must exist, and an account is named by its full address (cloud.google.com/iam/docs/principal-identifiers). */
export function wrongMember(member: string, store: Project): string | undefined {
  if (member === 'allUsers') return undefined;
  const [, pool] =
    /^principalSet:.*\/workloadIdentityPools\/([\w-]+)\/attribute\./.exec(member) ?? [];
  if (pool && exists(store, 'workloadIdentityPools', pool)) return undefined;
  const [, email] = /^serviceAccount:([\w-]+@[\w.-]+\.gserviceaccount\.com)$/.exec(member) ?? [];
  if (email === undefined) return `Invalid service account (${member}).`;
  const isOurs = email.endsWith('.iam.gserviceaccount.com');
  return isOurs && !exists(store, 'serviceAccounts', email)
    ? `Service account ${email} does not exist.`
    : undefined;
}
