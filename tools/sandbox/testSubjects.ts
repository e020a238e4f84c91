// Lookups of the demonstration data with their results. docs/sandbox.md contains them as a table, and
// tests compare them with the service.

import { ERRORS, type ErrorCode } from '../../functions/src/errors.ts';
import { DEMONSTRATION as D, DEMONSTRATION_ATTESTATIONS } from './demonstrationData.ts';

interface Flags {
  readonly hasVerifiedHuman: boolean;
  readonly votedCount: number;
  readonly supportedCount: number;
  readonly count: number;
}

export interface TestSubject {
  readonly what: string;
  /** The demonstration's key by default. */
  readonly key?: string;
  /** The query, not encoded. */
  readonly send: Readonly<Record<string, string>>;
  readonly status: number;
  /** Expected fields of the body. */
  readonly returns: Flags | { readonly code: ErrorCode };
}

const ALICE = {
  hasVerifiedHuman: true,
  votedCount: 2,
  supportedCount: 1,
  count: DEMONSTRATION_ATTESTATIONS.filter(({ wallet }) => wallet === D.wallet).length,
};
const HUMAN = { hasVerifiedHuman: true, votedCount: 0, supportedCount: 0, count: 1 };
const NOBODY = { hasVerifiedHuman: false, votedCount: 0, supportedCount: 0, count: 0 };

const found = (what: string, send: TestSubject['send'], returns: Flags): TestSubject => ({
  what,
  send,
  status: 200,
  returns,
});

const refused = (
  what: string,
  send: TestSubject['send'],
  code: ErrorCode,
  key?: string,
): TestSubject => ({
  what,
  send,
  status: ERRORS[code].status,
  returns: { code },
  ...(key !== undefined && { key }),
});

export const TEST_SUBJECTS: readonly TestSubject[] = [
  found('verified, voted, supported', { wallet: D.wallet }, ALICE),
  found('the same person', { email: D.email }, ALICE),
  found('the same person', { token: D.token }, ALICE),
  found('verified, never voted', { wallet: D.neverVotedWallet }, HUMAN),
  found('pending only', { wallet: D.pendingWallet }, { ...NOBODY, count: 1 }),
  found('nothing attested', { wallet: D.unattestedWallet }, NOBODY),
  refused('disabled account', { email: D.disabledEmail }, 'email_not_found'),
  found("the same account's wallet", { wallet: D.disabledWallet }, HUMAN),
  found('a token created before the account was disabled', { token: D.disabledToken }, HUMAN),
  refused('account without a wallet', { email: D.walletlessEmail }, 'email_not_found'),
  refused('no such account', { email: 'nobody@example.com' }, 'email_not_found'),
  refused('revoked token', { token: D.revokedToken }, 'token_not_found'),
  refused('expired token', { token: D.expiredToken }, 'token_not_found'),
  refused('unknown token', { token: D.unknownToken }, 'token_not_found'),
  refused('not a wallet', { wallet: '0OIl' }, 'invalid_wallet'),
  refused('no subject, good key', {}, 'missing_subject'),
  refused('no subject, revoked key', {}, 'unauthorized', D.revokedKey),
  refused('revoked key', { wallet: D.wallet }, 'unauthorized', D.revokedKey),
  refused('unknown key', { wallet: D.wallet }, 'unauthorized', 'unknown-key'),
];

/** The cells of the table of docs/sandbox.md. */
export const testSubjectRow = ({ what, key, send, status, returns }: TestSubject): string[] => {
  const sent = Object.entries(send).map(([name, value]) => `\`${name}\` \`${value}\``);
  if (key !== undefined) sent.push(`key \`${key}\``);
  const fields = Object.entries(returns).map(([name, value]) =>
    name === 'code' ? `\`${value}\`` : `\`${name}\` ${value}`,
  );
  return [what, sent.join(', ') || 'nothing', `${status} ${fields.join(', ')}`];
};
