// Parses a CSV file of addresses and wallets.

import { parseWallet } from '../../records/wallet.ts';
import { readInput } from '../frame/input.ts';
import { usageFailure } from '../terminal/failure.ts';
import type { Link } from './links.ts';

const HEADING = 'email,wallet';
/** Two fields, which spreadsheets may put in quotes. */
const ROW = /^\s*("?)([^",]+)\1\s*,\s*("?)([^",]+)\3\s*$/;

/**
 * @returns a link for each row; blank rows are skipped
 * @throws Failure (exit status 2) that names the first invalid row
 */
export function readLinkFile(file: string): Link[] {
  const [heading = '', ...rows] = readInput(file, `Name a CSV file with the heading ${HEADING}.`)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/);
  if (heading.replaceAll(/["\s]/g, '').toLowerCase() !== HEADING) {
    throw usageFailure(`${file}: the first line must be the heading ${HEADING}.`);
  }
  const lines = new Map<string, number>();
  return rows.flatMap((row, index) => {
    if (row.trim() === '') return [];
    const line = index + 2;
    const link = parseRow(row);
    // The message does not repeat the row, which is personal data.
    if (typeof link === 'string') throw usageFailure(`${file}, line ${line}: ${link}.`);
    const earlier = lines.get(link.email);
    if (earlier) throw usageFailure(`${file}: lines ${earlier} and ${line} have the same address.`);
    lines.set(link.email, line);
    return [{ ...link, line }];
  });
}

/** @returns the link, or what is wrong with the row */
function parseRow(row: string): Link | string {
  const [, , email = '', , address] = ROW.exec(row) ?? [];
  const wallet = parseWallet(address?.trim());
  if (!/^[^@\s]+@[^@\s]+$/.test(email.trim()))
    return 'this must be an e-mail address, a comma and a wallet';
  if (!wallet) return 'the wallet is not a base58 address of 32 bytes';
  // Authentication stores addresses in lower case.
  return { email: email.trim().toLowerCase(), wallet };
}
