// Parses a CSV file of addresses and wallets.

import { readFileSync } from 'node:fs';
import { parseWallet } from '../../records/wallet.ts';
import { usageFailure } from '../../terminal/failure.ts';
import type { Link } from './links.ts';

const HEADING = 'email,wallet';
/** Two fields, each perhaps in quotes, as spreadsheets write them. */
const ROW = /^\s*("?)([^",]+)\1\s*,\s*("?)([^",]+)\3\s*$/;

/**
 * @returns a link for each row; blank rows are left out
 * @throws Failure (exit status 2) that names the first row which cannot be used
 */
export function readLinkFile(file: string): Link[] {
  const [heading = '', ...rows] = readText(file)
    .replace(/^\ufeff/, '')
    .split(/\r?\n/);
  if (heading.replaceAll(/["\s]/g, '').toLowerCase() !== HEADING) {
    throw usageFailure(`${file}: the first line is not the heading ${HEADING}.`);
  }
  const lines = new Map<string, number>();
  return rows.flatMap((row, index) => {
    if (row.trim() === '') return [];
    const line = index + 2;
    const link = parseRow(row);
    // Not repeated in the message: it is somebody's data.
    if (typeof link === 'string') throw usageFailure(`${file}, line ${line}: ${link}.`);
    const earlier = lines.get(link.email);
    if (earlier) throw usageFailure(`${file}: lines ${earlier} and ${line} have the same address.`);
    lines.set(link.email, line);
    return [{ ...link, line }];
  });
}

/** @returns what is wrong where it cannot be used */
function parseRow(row: string): Link | string {
  const [, , email = '', , address] = ROW.exec(row) ?? [];
  const wallet = parseWallet(address?.trim());
  if (!/^[^@\s]+@[^@\s]+$/.test(email.trim()))
    return 'this is not an address, a comma and a wallet';
  if (!wallet) return 'the wallet is not a base58 address of 32 bytes';
  // Authentication stores addresses in lower case.
  return { email: email.trim().toLowerCase(), wallet };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw usageFailure(`${file} cannot be read: name a CSV file with ${HEADING}.`, cause);
  }
}
