// Compares the example of evidence with the code.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifyEvidence } from '../../clients/typescript/evidence.ts';
import { contentDigest, signatureBase } from '../../functions/src/signatures/sign.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../../tools/sandbox/demonstrationKey.ts';

const VERIFYING = readFileSync(new URL('../../docs/verifying.md', import.meta.url), 'utf8');

test("the guide's signature is valid for its signature base", () => {
  const [, body = ''] = /```json\n(\{"attestations".*\})\n```/.exec(VERIFYING) ?? [];
  const [, base = ''] = /```text\n("@status"[\s\S]*?)\n```/.exec(VERIFYING) ?? [];
  const [, signature = ''] = /```text\n(poh=:.*:)\n```/.exec(VERIFYING) ?? [];
  const values = new Map(
    base.split('\n').map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/(?<="|req): /);
      return [name, value];
    }),
  );
  const parameters = values.get('"@signature-params"') ?? '';
  const evidence = {
    url: `https://poh.example/pohAttestationsEndpoint${values.get('"@query";req')}`,
    body,
    requestId: values.get('"x-request-id"') ?? '',
    signatureInput: `poh=${parameters}`,
    signature,
  };
  const { keys } = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);
  expect(VERIFYING).toContain(`key \`${keys[0]?.x}\``);
  expect(verifyEvidence(evidence, keys)).toEqual(new Date('2026-11-20T12:00:00Z'));
  const parts = {
    status: 200,
    contentType: 'application/json; charset=utf-8',
    requestId: evidence.requestId,
    query: (values.get('"@query";req') ?? '').slice(1),
  };
  expect(base).toBe(signatureBase(parts, contentDigest(body), parameters).toString());
});
