// Compares gcloud's requests with the definitions of Google's messages that are part of gcloud.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Call } from './resources.ts';

const SCRIPT = fileURLToPath(new URL('unrecognized.py', import.meta.url));

/** The requests with bodies from deploy/, with the module and the name of their message. */
const MESSAGES: [RegExp, string, string][] = [
  [/^P\w+ monitoring.*\/alertPolicies/, 'monitoring.v3.monitoring_v3_messages', 'AlertPolicy'],
  [/^P\w+ monitoring.*\/dashboards/, 'monitoring.v1.monitoring_v1_messages', 'Dashboard'],
  [/^P\w+ monitoring.*\/uptimeCheck/, 'monitoring.v3.monitoring_v3_messages', 'UptimeCheckConfig'],
  [/^P\w+ logging.*\/metrics/, 'logging.v2.logging_v2_messages', 'LogMetric'],
  [/^POST iam.*\/roles$/, 'iam.v1.iam_v1_messages', 'CreateRoleRequest'],
  [/^POST cloudbuild.*\/builds$/, 'cloudbuild.v1.cloudbuild_v1_messages', 'Build'],
  [/^P\w+ cloudscheduler.*\/jobs/, 'cloudscheduler.v1.cloudscheduler_v1_messages', 'Job'],
  [/^P\w+ \S+run\S+\/jobs(\/[\w-]+)?$/, 'run.v1.run_v1_messages', 'Job'],
];

/** @returns the path of each field or enum value that its message does not define */
export function unrecognizedFields(calls: readonly Pick<Call, 'what' | 'body'>[]): string[] {
  const requests = calls.flatMap(({ what, body }) =>
    MESSAGES.filter(([pattern]) => pattern.test(what)).map(([, module, message]) =>
      JSON.stringify({ module, message, body }),
    ),
  );
  const info = ['info', '--format', 'value(basic.python_location,installation.sdk_root)'];
  const [python = '', sdk = ''] = execFileSync('gcloud', info, { encoding: 'utf8' })
    .trim()
    .split('\t');
  const input = requests.join('\n');
  return execFileSync(python, [SCRIPT, sdk], { input, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}
