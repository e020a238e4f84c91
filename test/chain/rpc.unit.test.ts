// Tests the derived addresses with vectors of another implementation, which the JSON file names. Tests the failures of
// requests to the chain over HTTP. test/audit tests their results.

import { afterAll, describe, expect, test } from 'vitest';
import {
  readAccounts,
  readFinalized,
  readGenesisHash,
  readProgramAccounts,
} from '../../cli/chain/chainAccounts.ts';
import {
  type ChainFailureCode,
  DEFAULT_LIMITS,
  type Node,
  type RpcLimits,
} from '../../cli/chain/rpc.ts';
import { attestationAddress } from '../../contract/attestationAddress.ts';
import type { Fault } from '../../tools/sandbox/reply.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import * as faults from '../doubles/callFaults.ts';
import { randomAddress } from '../support/random.ts';
import addresses from './attestationAddress.json' with { type: 'json' };

const QUICK = { maxAttempts: 2, initialBackoffMs: 1, maxBackoffMs: 2, maxBytes: 2 ** 16 };

const chain = await TestChain.start();
afterAll(() => chain[Symbol.asyncDispose]());
const program = randomAddress();
const minted = randomAddress();
chain.setAccount(minted, program);

/** A node whose notes are kept. */
function nodeAt(url = chain.url, limits: Partial<RpcLimits> = QUICK) {
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  return { url: new URL(url), note, limits, notes } satisfies Node & { notes: string[] };
}

type Case = readonly [string, ChainFailureCode, Fault];

const rpcErrors = (code: ChainFailureCode, ...numbers: number[]): Case[] =>
  numbers.map((number) => [
    `the error ${number}`,
    code,
    faults.respondJson({ jsonrpc: '2.0', error: { code: number, message: 'no' }, id: null }),
  ]);
/** Sends this result in the chain's reply. */
const sending = (result: unknown): Fault =>
  faults.altered((body) => JSON.stringify({ ...JSON.parse(body), result }));
const limited = (retryAfter: string): Fault =>
  faults.respond(429, 'Too Many', { 'Retry-After': retryAfter });
const account = { lamports: 1, data: ['', 'base64'], executable: false, rentEpoch: 0 };

const UNREADABLE: Case[] = [
  ['an HTML page', 'malformed', faults.page(200)],
  ['an empty body', 'malformed', faults.respond(200, '')],
  ['null', 'malformed', faults.respondJson(null)],
  ['no result', 'malformed', sending(undefined)],
  ['null as result', 'malformed', sending(null)],
];

const [NO_RESPONSE, ENDLESS] = ['no response', 'a response that does not end'] as const;

test.each<Case>([
  ['429', 'unavailable', limited('0')],
  [NO_RESPONSE, 'unavailable', faults.unanswered],
  [ENDLESS, 'unavailable', faults.trickling],
  ['a connection closed before the headers', 'unavailable', faults.closedBeforeHeaders],
  ['a truncated body', 'unavailable', faults.cutOff(true)],
  ['503', 'unavailable', faults.page(503)],
  ...rpcErrors('unavailable', 429, -32429, -32005, -32016, -32603),
  ['403', 'refused', faults.page(403)],
  ['a redirect', 'refused', faults.respond(307, '', { Location: chain.url })],
  ...rpcErrors('refused', -32601, -32602, -32000),
  ['an endless body', 'oversized', faults.endless],
  ...UNREADABLE,
  ['too few accounts', 'malformed', sending({ context: { slot: 1 }, value: [] })],
  ['no owner', 'malformed', sending({ context: { slot: 1 }, value: [account] })],
])('%s is reported as %s, and retried if it may pass', async (name, code, fault) => {
  const transient = code !== 'refused' && code !== 'oversized';
  const isSlow = name === NO_RESPONSE || name === ENDLESS;
  const node = nodeAt(chain.url, { ...QUICK, ...(isSlow && { timeoutMs: 200 }) });
  chain.faults.push(...Array(transient ? QUICK.maxAttempts : 1).fill(fault));
  await expect(readAccounts(node, [minted])).rejects.toMatchObject({ name: 'Failure', code });
  expect(chain.faults).toHaveLength(0);
  expect(node.notes).toHaveLength(transient ? QUICK.maxAttempts - 1 : 0);
  // On a busy machine, the second attempt would take longer than the short time limit too.
  if (!transient || isSlow) return;
  chain.faults.push(fault);
  expect(await readAccounts(node, [minted])).toMatchObject([{ owner: program }]);
  expect(node.notes.at(-1)).toMatch(/^[\d.:]+: .*, attempt 1 of 2; retrying in 0.001 s$/);
});

describe.each([
  ['getProgramAccounts', (node: Node) => readProgramAccounts(node, program)],
  ['getGenesisHash', readGenesisHash],
])('%s', (_, call) => {
  test.each(UNREADABLE)('%s is reported as %s', async (_, code, fault) => {
    chain.faults.push(...Array(QUICK.maxAttempts).fill(fault));
    await expect(call(nodeAt())).rejects.toMatchObject({ name: 'Failure', code });
    await call(nodeAt());
  });
});

test('a repeated reply to an earlier request is malformed', async () => {
  let earlier = '';
  const repeated = faults.altered((body) => {
    earlier ||= body;
    return earlier;
  });
  chain.faults.push(...Array(1 + QUICK.maxAttempts).fill(repeated));
  await readGenesisHash(nodeAt());
  await expect(readGenesisHash(nodeAt())).rejects.toMatchObject({ code: 'malformed' });
});

test("an error for another request doesn't count, but its code is said", async () => {
  const error = { jsonrpc: '2.0', id: 'other', error: { code: 429, message: 'no' } };
  chain.faults.push(...Array(QUICK.maxAttempts).fill(faults.respondJson(error)));
  await expect(readGenesisHash(nodeAt())).rejects.toMatchObject({
    code: 'malformed',
    message: expect.stringContaining('JSON-RPC error 429 for another request'),
  });
});

describe('the pauses', () => {
  /** @returns the pauses after these faults, in milliseconds */
  async function pausesAfter(sent: readonly Fault[]): Promise<number[]> {
    const node = nodeAt(chain.url, { maxAttempts: 6, initialBackoffMs: 1, maxBackoffMs: 10 });
    chain.faults.push(...sent);
    await readGenesisHash(node);
    return node.notes.map((note) => Number(/retrying in ([\d.]+) s/.exec(note)?.[1]) * 1000);
  }

  test('double each time, up to the maximum', async () => {
    expect(await pausesAfter(Array(5).fill(faults.closedBeforeHeaders))).toEqual([1, 2, 4, 8, 10]);
  });

  test.each([
    ['0.007', 7],
    ['60', 10],
    ['-1', 1],
    ['0.007, 0.007', 7],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 1],
    ['Fri, 20 Nov 2126 09:00:00 GMT', 10],
    ['soon', 1],
  ])('last as long as Retry-After (%s) requests, up to the maximum', async (value, pause) => {
    expect(await pausesAfter([limited(value)])).toEqual([pause]);
  });

  test('are by default longer than the 10-second window of public rate limits, and end in 4 minutes', () => {
    const { maxAttempts, initialBackoffMs, maxBackoffMs, timeoutMs } = DEFAULT_LIMITS;
    expect(initialBackoffMs * (2 ** (maxAttempts - 1) - 1)).toBeGreaterThan(10_000);
    expect(maxAttempts * (timeoutMs + maxBackoffMs)).toBeLessThanOrEqual(240_000);
  });
});

test('a list of accounts may be longer than other results', async () => {
  chain.faults.push(sending(Array(100_000).fill({ pubkey: minted })));
  expect(await readProgramAccounts(nodeAt(chain.url, {}), program)).toEqual(new Set([minted]));
});

test("a node without a valid clock is refused, since its time isn't known", async () => {
  const clock = { owner: program, data: ['AAAA', 'base64'] };
  chain.faults.push(...Array(2).fill(sending({ value: [clock, clock] })));
  await expect(readFinalized(nodeAt(), minted)).rejects.toMatchObject({ code: 'malformed' });
});

test.each(addresses.vectors)('$title', (vector) => {
  const { program, holder, attestationType, contextHashHex, address } = vector;
  expect(attestationAddress(program, holder, attestationType, contextHashHex)).toBe(address);
});
