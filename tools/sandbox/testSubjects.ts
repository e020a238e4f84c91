// Lookups of the demonstration data with their results. The demonstration and tests compare them with the service.

import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import {
  DEMONSTRATION as D,
  DEMONSTRATION_ATTESTATIONS,
  DEMONSTRATION_PROGRAM,
} from '../../contract/examples.ts';

interface Flags {
  readonly hasVerifiedHuman: boolean;
  readonly votedCount: number;
  readonly supportedCount: number;
  readonly count: number;
}

export interface TestSubject {
  readonly what: string;
  /** The query, not encoded. */
  readonly send: Readonly<Record<string, string>>;
  readonly status: number;
  /** Expected fields of the body. */
  readonly returns: Flags | { readonly code: ErrorCode };
  /** The demonstration's key by default. */
  readonly key?: string;
}

const ALICE = {
  hasVerifiedHuman: true,
  votedCount: 2,
  supportedCount: 1,
  count: DEMONSTRATION_ATTESTATIONS.filter(({ wallet }) => wallet === D.wallet).length,
};
const HUMAN = { hasVerifiedHuman: true, votedCount: 0, supportedCount: 0, count: 1 };
const NOBODY = { hasVerifiedHuman: false, votedCount: 0, supportedCount: 0, count: 0 };

/** @param returned the fields of a success, or the code of an error */
const subject = (
  what: string,
  send: TestSubject['send'],
  returned: Flags | ErrorCode,
  key?: string,
): TestSubject => ({
  what,
  send,
  ...(typeof returned === 'string'
    ? { status: ERRORS[returned].status, returns: { code: returned } }
    : { status: 200, returns: returned }),
  ...(key !== undefined && { key }),
});

export const TEST_SUBJECTS: readonly TestSubject[] = [
  subject('verified, voted, supported', { wallet: D.wallet }, ALICE),
  subject('the same person', { email: D.email }, ALICE),
  subject('the same person', { token: D.token }, ALICE),
  subject('verified, never voted', { wallet: D.neverVotedWallet }, HUMAN),
  subject('pending only', { wallet: D.pendingWallet }, { ...NOBODY, count: 1 }),
  subject('nothing attested', { wallet: D.unattestedWallet }, NOBODY),
  subject('disabled account', { email: D.disabledEmail }, 'email_not_found'),
  subject("the same account's wallet", { wallet: D.disabledWallet }, HUMAN),
  subject('a token created before the account was disabled', { token: D.disabledToken }, HUMAN),
  subject('account without a wallet', { email: D.walletlessEmail }, 'email_not_found'),
  subject('no such account', { email: 'nobody@example.com' }, 'email_not_found'),
  subject('revoked token', { token: D.revokedToken }, 'token_not_found'),
  subject('expired token', { token: D.expiredToken }, 'token_not_found'),
  subject('a token for another project', { token: D.otherProjectsToken }, 'token_not_found'),
  subject('unknown token', { token: D.unknownToken }, 'token_not_found'),
  subject('not a wallet', { wallet: '0OIl' }, 'invalid_wallet'),
  subject('no subject, good key', {}, 'missing_subject'),
  subject('no subject, revoked key', {}, 'unauthorized', D.revokedKey),
  subject('revoked key', { wallet: D.wallet }, 'unauthorized', D.revokedKey),
  subject('unknown key', { wallet: D.wallet }, 'unauthorized', 'unknown-key'),
];

/** The variables that the samples of the guide read, except the addresses of the service and of the chain. */
export const SAMPLE_VARIABLES: Readonly<Record<string, string>> = {
  POH_KEY: D.key,
  TOKEN: D.token,
  WALLET: D.wallet,
  PROPOSAL: D.proposal,
  POH_PROGRAM: DEMONSTRATION_PROGRAM,
};
