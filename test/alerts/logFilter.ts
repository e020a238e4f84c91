// Evaluates the part of Cloud Logging's query language that the filters of deploy/ use: comparisons with =, >=, : and :* of a
// field and a constant, log_id, NOT, OR, AND and parentheses.
// https://cloud.google.com/logging/docs/view/logging-query-language

/** An entry as Cloud Logging stores it. */
export interface LogEntry {
  readonly [field: string]: unknown;
}

const SEVERITIES = ['DEFAULT', 'DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'CRITICAL'];
const COMPARISON =
  /log_id\("(?<log>[^"]*)"\)|(?<path>[\w.]+)(?<op>>=|=|:)(?:"(?<text>[^"]*)"|(?<number>\d+)|\*)/g;

/** The entry of a line of JSON that the function or the job prints. */
export function entryOf(line: string, type: 'cloud_run_revision' | 'cloud_run_job'): LogEntry {
  const { severity = 'DEFAULT', ...jsonPayload } = JSON.parse(line);
  const labels = { service_name: 'pohattestationsendpoint', job_name: 'poh-audit' };
  return { resource: { type, labels }, severity, jsonPayload };
}

/** @throws Error if the filter uses anything that this evaluator does not know */
export function matches(filter: string, entry: LogEntry): boolean {
  let text = filter
    .trim()
    .replaceAll(COMPARISON, (...found) => digit(compare(entry, found.at(-1))));
  // OR binds more closely than AND.
  const steps: [RegExp, (left: string, right: string) => string][] = [
    [/\(([01])\)/, (value) => value],
    [/NOT\s+([01])/, (value) => digit(value === '0')],
    [/([01])\s+OR\s+([01])/, (left, right) => digit(left + right !== '00')],
    [/(?<!OR\s+)([01])\s+AND\s+([01])(?!\s+OR)/, (left, right) => digit(left + right === '11')],
  ];
  for (let step = steps[0]; step; step = steps.find(([pattern]) => pattern.test(text)))
    text = text.replace(step[0], (_, left, right) => step?.[1](left, right) ?? '');
  if (/^[01]$/.test(text)) return text === '1';
  throw new Error(`This is not understood in a filter: ${text}`);
}

const digit = (value: boolean): string => (value ? '1' : '0');

/** Cloud Logging ignores the case of letters, and no comparison is true of a missing field. */
function compare(
  entry: LogEntry,
  { log, path = '', op, number, text = number }: Record<string, string>,
): boolean {
  if (log !== undefined) return entry['logId'] === log;
  const value = path
    .split('.')
    .reduce<unknown>((parent, name) => Reflect.get(Object(parent), name), entry);
  if (value === undefined || text === undefined) return value !== undefined;
  if (path === 'timestamp') return String(value) >= text;
  if (op === '>=') return SEVERITIES.indexOf(String(value)) >= SEVERITIES.indexOf(text);
  const [stored, sought] = [String(value).toLowerCase(), text.toLowerCase()];
  return op === '=' ? stored === sought : stored.includes(sought);
}
