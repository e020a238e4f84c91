// Stands in for the operator in an integrator's tests: a `fetch` that gives each documented answer, without a network.

import type { Fetch } from './attempts.ts';
import { type Attestation, CODES, NOBODY, type ResultBody } from './result.ts';

/** A person, a code of the contract, no connection at all, or the fields of a result that differ from a human's. */
export type Answer =
  | ('human' | 'pending' | 'nobody' | 'unreachable')
  | keyof typeof CODES
  | Partial<ResultBody>;

const ADDRESS = '2mB2uMWTbvdLrVJLTqNDGJPySjGN3mPLQ8rDuoKPWyNn';
/** The attestation of a human. Its address, the wallet's mark, differs between subjects. */
const attestationOf = (subject: string): Attestation => ({
  attestationType: 0,
  contextHashHex: '0'.repeat(64),
  status: 'confirmed',
  onChainAddress: `${subject.replaceAll(/[^1-9A-HJ-NP-Za-km-z]/g, '')}${ADDRESS}`.slice(0, 44),
  syncedAt: '2026-10-01T12:00:02.000Z',
  createdAt: '2026-10-01T12:00:00.000Z',
});
/** What the service says of a subject that it does not know. */
const UNKNOWN = { wallet: 'nobody', email: 'email_not_found', token: 'token_not_found' } as const;

/**
 * Answers lookups by their subject, others as the service answers unknown ones:
 *
 *     const fetch = answering({ 'a-token': 'human', 'an-old-token': 'token_not_found', down: 'unreachable' });
 *     const poh = new Client({ url: 'https://poh.example', key: 'a-key', pause: 1, fetch });
 */
export const answering =
  (answers: Readonly<Record<string, Answer>>): Fetch =>
  async (url) => {
    const [[mode = '', subject = ''] = []] = new URL(url).searchParams;
    const unknown = UNKNOWN[mode === 'wallet' || mode === 'email' ? mode : 'token'];
    const answer = Object.hasOwn(answers, subject) ? answers[subject] : unknown;
    if (answer === 'unreachable') throw new TypeError('fetch failed');
    const headers = { 'X-Request-Id': 'a-request' };
    if (isCode(answer)) {
      const [status, error] = CODES[answer];
      const body = { error, code: answer, requestId: 'a-request' };
      return Response.json(body, { status, headers });
    }
    const human = attestationOf(subject);
    const isKnown = answer !== 'nobody';
    const fields =
      answer === 'pending'
        ? { attestations: [{ ...human, status: 'pending' }] }
        : { attestations: [human], hasVerifiedHuman: true };
    const more = typeof answer === 'object' ? answer : {};
    const wallet = mode === 'wallet' && { wallet: subject };
    const person = isKnown && { ...fields, count: 1 };
    return Response.json({ ...NOBODY, ...wallet, ...person, ...more }, { headers });
  };

const isCode = (answer: unknown): answer is keyof typeof CODES => Object.hasOwn(CODES, `${answer}`);
