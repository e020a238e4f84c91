// Looks up each row of a CSV file, and writes a row of results for it. An interrupted run goes on where it ended, because
// each row is written as soon as it is known.

import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client, Unavailable } from './client.ts';
import { type Subject, variable } from './parameters.ts';
import { walletMark } from './result.ts';
import { fetchKeySet, readText } from './verify.ts';

export interface CheckOptions {
  readonly out: string;
  readonly evidence: string | undefined;
  readonly atOnce: number | undefined;
  /** The names of the columns, by mode. */
  readonly columns: Readonly<Record<string, string | undefined>>;
}

type Row = readonly string[];
interface Table {
  readonly separator: string;
  readonly header: Row;
  readonly rows: readonly Row[];
}

/** Reads CSV as spreadsheets write it: with commas, semicolons or tabs, and quotes around a cell that contains them. */
function parseTable(file: string, text: string): Table {
  const [firstLine = ''] = /^.*/.exec(text) ?? [];
  const count = (separator: string): number => firstLine.split(separator).length;
  const [separator = ','] = [',', ';', '\t'].sort((one, other) => count(other) - count(one));
  const CELL = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${separator}\r\n]*))(${separator}|\r?\n|$)`,
    'y',
  );
  const rows: string[][] = [[]];
  while (CELL.lastIndex < text.length) {
    const line = rows.length;
    const match = CELL.exec(text);
    if (!match) throw new Error(`${file} is not CSV: the quotes in row ${line} do not fit.`);
    const [, quoted, plain = '', end] = match;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== separator) rows.push([]);
  }
  const [header = [], ...filled] = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  return { separator, header: header.map((name) => name.trim()), rows: filled };
}

const writeRow = (cells: Row, separator: string): string => {
  const quoted = cells.map((cell) =>
    /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${quoted.join(separator)}\n`;
};

const MODES = ['wallet', 'email', 'token'];

/** @returns the mode, and the index of its column */
function findColumn({ header }: Table, columns: CheckOptions['columns']): [string, number] {
  const named = MODES.filter((mode) => columns[mode] !== undefined);
  const found = (named.length > 0 ? named : MODES)
    .map((mode): [string, number] => {
      const wanted = columns[mode];
      const isIt = (name: string): boolean => name.toLowerCase().replace('-', '') === mode;
      return [mode, wanted === undefined ? header.findIndex(isIt) : header.indexOf(wanted)];
    })
    .filter(([, index]) => index >= 0);
  const [only] = found;
  if (only && found.length === 1) return only;
  throw new Error(
    `The first row has ${found.length} columns of subjects. Name the one to look up with --wallet, --email or --token.`,
  );
}

/** Only the owner may read the subjects, and tokens that others could use. */
const MINE = { mode: 0o600 };
const RESULTS = ['hasVerifiedHuman', 'walletMark', 'code', 'requestId'];

const headOf = ({ header }: Table): Row => ['row', ...header, ...RESULTS];

/** @returns the rows that an earlier run has written, by number @throws Error if they are of another file */
function readResults(file: string, table: Table): Map<number, Row> {
  const { header, rows } = table;
  const text = existsSync(file) ? readText(file) : '';
  if (text === '') return new Map();
  // An interrupted run may have written half a row.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const results = parseTable(file, whole);
  const isOfFile = (row: Row): boolean =>
    header.every((_, index) => row[index + 1] === (rows[Number(row[0]) - 1]?.[index] ?? ''));
  if (results.header.join() !== headOf(table).join() || !results.rows.every(isOfFile))
    throw new Error(`${file} has other content. Choose another file with --out.`);
  truncateSync(file, Buffer.byteLength(whole));
  return new Map(results.rows.map((row) => [Number(row[0]), row]));
}

/** @returns what writes how far a run is, and when it will end */
function progressOf(total: number, done: number): (more: number, isLast: boolean) => void {
  const [startedAt, { isTTY }] = [performance.now(), process.stderr];
  let shownAt = startedAt;
  return (more, isLast) => {
    const now = performance.now();
    if (!isLast && now - shownAt < (isTTY ? 200 : 10_000)) return;
    shownAt = now;
    const seconds = Math.ceil(((now - startedAt) / more / 1000) * (total - done - more));
    const left = seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
    const text = `${done + more} of ${total}, ${left} left`;
    process.stderr.write(isTTY ? `\r${text.padEnd(40)}${isLast ? '\n' : ''}` : `${text}\n`);
  };
}

/** Creates the folder of evidence, with the public keys of the operator. */
async function prepareFolder(folder: string): Promise<void> {
  const keys = await fetchKeySet(variable('POH_URL'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'keys.jwks'), JSON.stringify(keys));
}

const subjectOf = (mode: string, value: string): Subject => {
  if (mode === 'token') return { token: value };
  return mode === 'email' ? { email: value } : { wallet: value };
};

/**
 * @returns the exit status: 0 if every row has a result, 1 if another run is needed
 * @throws Refused if the key is refused, and Error if a file or a setting is wrong
 */
export async function check(file: string, options: CheckOptions): Promise<number> {
  const { out, evidence: folder } = options;
  const poh = new Client();
  const table = parseTable(file, readText(file));
  const { header, rows, separator } = table;
  const [mode, column] = findColumn(table, options.columns);
  const results = readResults(out, table);
  if (folder !== undefined) await prepareFolder(folder);
  if (results.size === 0) writeFileSync(out, writeRow(headOf(table), separator), MINE);
  const subjects = rows
    .map((row, index) => ({ ...subjectOf(mode, row[column] ?? ''), number: index + 1, row }))
    .filter(({ number }) => !results.has(number));
  const progress = progressOf(rows.length, results.size);
  let failure = '';
  // Opened once, because that takes longer than to write a row.
  const target = openSync(out, 'a');
  try {
    for await (const found of poh.lookUpMany(subjects, { atOnce: options.atOnce })) {
      const { subject, result, error, evidence } = found;
      progress(found.done, found.done === found.total);
      if (error instanceof TypeError) throw error;
      failure = error instanceof Unavailable ? error.message : failure;
      if (error instanceof Unavailable) continue;
      if (folder !== undefined && result && !evidence)
        throw new Error('The operator does not sign its responses, so it gives no evidence.');
      const name = join(folder ?? '', `${subject.number}.json`);
      // Stored before the row, so that an interruption loses none.
      if (folder !== undefined && evidence) writeFileSync(name, JSON.stringify({ evidence }), MINE);
      const cells = header.map((_, index) => subject.row[index] ?? '');
      const flags = result ? [`${result.hasVerifiedHuman}`, walletMark(result) ?? ''] : ['', ''];
      const said = [error?.code ?? '', (result ?? error).requestId];
      const written = [`${subject.number}`, ...cells, ...flags, ...said];
      appendFileSync(target, writeRow(written, separator));
      results.set(subject.number, written);
    }
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    failure = error.message;
  } finally {
    closeSync(target);
  }
  return finish(table, out, results, failure);
}

/** Says what was found, and sorts the results of a complete run. @returns the exit status */
function finish(
  table: Table,
  out: string,
  results: ReadonlyMap<number, Row>,
  failure: string,
): number {
  const { header, rows, separator } = table;
  const all = [...results.values()];
  const count = (offset: number, wanted: RegExp): number =>
    all.filter((row) => wanted.test(row[1 + header.length + offset] ?? '')).length;
  const [humans, others, refused] = [count(0, /true/), count(0, /false/), count(2, /./)];
  const left = rows.length - all.length;
  console.error(
    `${humans} verified humans, ${others} not verified, ${refused} refused (see "code"), ${left} without an answer`,
  );
  if (failure !== '') console.error(`${failure}\nRun the same command again for the others.`);
  if (left > 0) return 1;
  const sorted = all.sort(([one], [other]) => Number(one) - Number(other));
  const lines = [headOf(table), ...sorted].map((row) => writeRow(row, separator));
  writeFileSync(`${out}.sorted`, lines.join(''), MINE);
  renameSync(`${out}.sorted`, out);
  return 0;
}
