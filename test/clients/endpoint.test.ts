// Tests the clients with the real endpoint, through the address of the site.

import { beforeAll, describe, expect, test } from 'vitest';
import { verifyEvidence } from '../../clients/typescript/evidence.ts';
import { writeDemonstration } from '../../tools/sandbox/demonstration.ts';
import { DEMONSTRATION } from '../../tools/sandbox/demonstrationData.ts';
import { DEMONSTRATION_SIGNING_KEY, publicKeySetOf } from '../../tools/sandbox/demonstrationKey.ts';
import { TEST_SUBJECTS } from '../../tools/sandbox/testSubjects.ts';
import { servedUrl } from '../support/endpoints.ts';
import { type Job, LANGUAGES } from './drivers.ts';

beforeAll(() => writeDemonstration());

const url = servedUrl.replace(/\/(pohAttestationsEndpoint)?$/, '');

describe.each(LANGUAGES)('$name', ({ run }) => {
  test('gets the documented result of each test subject, and verifies its evidence', async () => {
    const jobs = TEST_SUBJECTS.map(
      ({ send, key = DEMONSTRATION.key }): Job => ({ action: 'lookUp', url, key, subject: send }),
    );
    const outcomes = Object.values(await run(Object.fromEntries(jobs.entries())));
    for (const [index, { send, status, returns }] of TEST_SUBJECTS.entries()) {
      const outcome = outcomes[index];
      if (status === 200) expect(outcome).toMatchObject({ kind: 'ok', value: { result: returns } });
      // The client itself refuses these, whatever the key.
      else if (Object.keys(send).length === 0) {
        expect(outcome).toMatchObject({ kind: 'refused', status: 0, code: 'missing_subject' });
      } else expect(outcome).toMatchObject({ kind: 'refused', status, ...returns });
    }
    const { keys } = publicKeySetOf(DEMONSTRATION_SIGNING_KEY);
    const found = outcomes.filter(({ kind }) => kind === 'ok');
    for (const { value } of found) {
      expect(verifyEvidence(Object(value).evidence, keys)).toBeInstanceOf(Date);
    }
  });
});
