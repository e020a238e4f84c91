// Reads what the user gives: files, addresses, times and amounts.

import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { parseTime } from '../../records/storedValues.ts';
import { parseWallet, type Wallet } from '../../records/wallet.ts';
import { usageFailure } from '../terminal/failure.ts';

/** @throws Failure (exit status 2) when the file cannot be read */
export function readInput(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw usageFailure(`${file} cannot be read. Check its name and permissions.`, cause);
  }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses the address of a server that gets a key, or whose public keys are trusted.
 *
 * @throws Failure (exit status 2) unless it uses TLS or is on this machine
 */
export function parseServer(text: string): URL {
  const url = URL.parse(text);
  const isPlain = url?.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url?.protocol === 'https:' || isPlain) return url;
  throw usageFailure(
    `${text} must begin with https://, or on this machine (127.0.0.1) with http://.`,
  );
}

/** @param text ISO 8601 with a time zone, or a day in UTC @returns milliseconds since the epoch */
export function parseInstant(text: string): number {
  const timeMs = z.iso.date().safeParse(text).success ? Date.parse(text) : parseTime(text);
  if (!Number.isNaN(timeMs)) return timeMs;
  throw new InvalidArgumentError('Write it in the form 2026-11-20T09:00:00Z.');
}

/** Parses an amount of which there is at least one. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number, and at least 1.');
}

/** @throws Failure (exit status 2) that omits the text, which may be a secret pasted by mistake */
export function parseAddress(text: string): Wallet {
  const address = parseWallet(text);
  if (address === undefined) throw usageFailure('An address is 32 bytes in base58. Check it.');
  return address;
}
