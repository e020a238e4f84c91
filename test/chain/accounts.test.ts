// Tests the requests to the chain over HTTP: their results, and the failures of an endpoint.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountsReader } from '../../admin/chain/accounts.ts';
import {
  CHAIN_FAILURES,
  ChainError,
  type ChainFailureCode,
} from '../../admin/chain/chainFailure.ts';
import { readProgramAccounts } from '../../admin/chain/programAccounts.ts';
import type { Retry, RetryPolicy } from '../../admin/chain/retries.ts';
import { FAULTS } from '../../tools/sandbox/chainFaults.ts';
import { freePort } from '../../tools/sandbox/freePort.ts';
import { randomAddress } from '../../tools/sandbox/random.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';

const QUICK: RetryPolicy = { maxAttempts: 3, initialBackoffMs: 1, maxBackoffMs: 2, timeoutMs: 500 };

let chain: TestChain;
const program = randomAddress();
const minted = randomAddress();

beforeAll(async () => {
  chain = await TestChain.start();
  chain.setAccount(minted, program);
});

afterAll(() => chain[Symbol.asyncDispose]());

/** Reads the owners of accounts, and records every retry. */
async function readOwnersOf(addresses: readonly string[], url = chain.url) {
  const retries: Retry[] = [];
  const keep = (retry: Retry) => void retries.push(retry);
  const readAccounts = accountsReader(url, 'confirmed', QUICK, keep, () => undefined);
  const outcome = await readAccounts(addresses).then(
    (accounts) => accounts.map((account) => account?.owner ?? null),
    (error: unknown) => error,
  );
  return { outcome, retries };
}

const FAILING: readonly (readonly [keyof typeof FAULTS, ChainFailureCode])[] = [
  ['rateLimited', 'rate_limited'],
  ['rateLimitedInBody', 'rate_limited'],
  ['hanging', 'timed_out'],
  ['hangingHalfway', 'timed_out'],
  ['dropped', 'disconnected'],
  ['droppedHalfway', 'disconnected'],
  ['unavailable', 'unavailable'],
  ['behind', 'unavailable'],
  ['endless', 'oversized'],
  ['forbidden', 'refused'],
  ['unknownMethod', 'refused'],
  ['page', 'malformed'],
  ['empty', 'malformed'],
  ['null', 'malformed'],
  ['noResult', 'malformed'],
  ['nullResult', 'malformed'],
  ['tooFew', 'malformed'],
  ['noOwner', 'malformed'],
];

describe('a failing endpoint', () => {
  test.each(FAILING)('%s is reported as %s, never as a missing account', async (fault, code) => {
    const tries = CHAIN_FAILURES[code].transient ? QUICK.maxAttempts : 1;
    chain.faults.push(...Array(tries).fill(FAULTS[fault]));
    const { outcome, retries } = await readOwnersOf([minted]);
    expect(outcome).toBeInstanceOf(ChainError);
    expect(outcome).toMatchObject({ code });
    expect(retries).toHaveLength(tries - 1);
    expect(chain.faults).toHaveLength(0);
  });

  const transient = FAILING.filter(([, code]) => CHAIN_FAILURES[code].transient);
  test.each(transient)('%s is retried', async (fault) => {
    chain.faults.push(FAULTS[fault], FAULTS[fault]);
    const { outcome, retries } = await readOwnersOf([minted]);
    expect(outcome).toEqual([program]);
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  test('a closed port is reported as disconnected', async () => {
    const { outcome } = await readOwnersOf([minted], `http://127.0.0.1:${await freePort()}/`);
    expect(outcome).toMatchObject({ code: 'disconnected' });
  });

  test('every failure and every fault has a case', () => {
    expect(FAILING.map(([fault]) => fault).sort()).toEqual(Object.keys(FAULTS).sort());
    const codes = new Set(FAILING.map(([, code]) => code));
    expect([...codes].sort()).toEqual(Object.keys(CHAIN_FAILURES).sort());
  });
});

describe('reading owners', () => {
  test('returns the owner of each account in order, and null for missing accounts', async () => {
    const [other, revoked] = [randomAddress(), randomAddress()];
    chain.setAccount(revoked, program);
    chain.setAccount(revoked, null);
    const funded = randomAddress();
    chain.setAccount(funded, other);
    const { outcome } = await readOwnersOf([randomAddress(), minted, revoked, funded, minted]);
    expect(outcome).toEqual([null, program, null, other, program]);
  });

  test('fails for more addresses than a request may have, instead of reading some', async () => {
    const { outcome } = await readOwnersOf(Array.from({ length: 101 }, randomAddress));
    expect(outcome).toMatchObject({ code: 'refused' });
  });
});

test('a request to a node that has not reached a slot is retried', async () => {
  const retries: Retry[] = [];
  const keep = (retry: Retry) => {
    retries.push(retry);
    chain.behindMs = 0;
  };
  const slots = [2 ** 40, undefined];
  const readAccounts = accountsReader(chain.url, 'confirmed', QUICK, keep, () => slots.shift());
  expect(await readAccounts([minted])).toMatchObject([{ owner: program }]);
  expect(retries).toMatchObject([{ failure: { code: 'unavailable' } }]);
});

describe("reading a program's accounts", () => {
  const readAccounts = async (owner: string) =>
    readProgramAccounts(chain.url, owner, QUICK, () => undefined, undefined).catch(
      (error: unknown) => error,
    );

  test.each(FAILING.filter(([fault]) => fault !== 'endless'))(
    '%s is reported as %s, never as an empty list',
    async (fault, code) => {
      const attempts = CHAIN_FAILURES[code].transient ? QUICK.maxAttempts : 1;
      chain.faults.push(...Array(attempts).fill(FAULTS[fault]));
      expect(await readAccounts(program)).toMatchObject({ name: 'ChainError', code });
      expect(chain.faults).toHaveLength(0);
    },
  );

  test('returns all of them, and no account of another program', async () => {
    const [owner, ...accounts] = [randomAddress(), randomAddress(), randomAddress()];
    for (const account of accounts) chain.setAccount(account, owner);
    const closed = randomAddress();
    chain.setAccount(closed, owner);
    chain.setAccount(closed, null);
    expect(await readAccounts(owner)).toEqual(new Set(accounts));
    expect(await readAccounts(randomAddress())).toEqual(new Set());
  });
});
