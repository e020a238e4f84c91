// Compares the example of evidence with the code.

import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { verifyEvidence } from '../../clients/typescript/evidence.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../../tools/sandbox/demonstrationKey.ts';

const EVIDENCE = readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8');

test("the guide's signature is valid for its signature base and its body", () => {
  const [, body = ''] = /```json\n(\{"attestations".*\})\n```/.exec(EVIDENCE) ?? [];
  const [, base = ''] = /```text\n("@status"[\s\S]*?)\n```/.exec(EVIDENCE) ?? [];
  const [, signature = ''] = /```text\npoh=:(.*):\n```/.exec(EVIDENCE) ?? [];
  const fieldOf = (name: string): string => base.split(`\n${name}: `)[1]?.split('\n')[0] ?? '';
  const { keys } = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);
  expect(EVIDENCE).toContain(`key \`${keys[0]?.x}\``);
  const key = createPublicKey({ key: { ...keys[0] }, format: 'jwk' });
  expect(verify(null, Buffer.from(base), key, Buffer.from(signature, 'base64'))).toBe(true);
  const evidence = {
    url: `https://poh.example/pohAttestationsEndpoint${fieldOf('"@query";req')}`,
    body,
    requestId: fieldOf('"x-request-id"'),
    signatureInput: `poh=${fieldOf('"@signature-params"')}`,
    signature: `poh=:${signature}:`,
  };
  expect(verifyEvidence(evidence, keys).signedAt).toEqual(new Date('2026-11-20T12:00:00Z'));
});
