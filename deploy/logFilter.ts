// Evaluates the part of Cloud Logging's query language that the filters of this folder use: comparisons with =, >=, : and
// :* of a field and a constant, log_id, OR, AND and parentheses. It refuses everything else.
// https://cloud.google.com/logging/docs/view/logging-query-language

/** An entry as Cloud Logging stores it. */
export interface LogEntry {
  readonly [field: string]: unknown;
}

const SEVERITIES = ['DEFAULT', 'DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'CRITICAL'];
const TOKEN =
  /\s*(?:([()]|(?:AND|OR)\b)|log_id\("(?<log>[^"]*)"\)|(?<path>[\w.]+)(?<op>>=|=|:)(?:"(?<text>[^"]*)"|(?<number>\d+)|\*))/y;

/** The entry of a line of JSON that the function or the job prints. */
export function entryOf(line: string, type: 'cloud_run_revision' | 'cloud_run_job'): LogEntry {
  const { severity = 'DEFAULT', ...jsonPayload } = JSON.parse(line);
  const labels = { service_name: 'pohattestationsendpoint', job_name: 'poh-audit' };
  return { resource: { type, labels }, severity, jsonPayload };
}

/** @throws Error if the filter uses anything that this evaluator does not know */
export function matches(filter: string, entry: LogEntry): boolean {
  const text = filter.trim();
  const tokens: (string | boolean)[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) return refuse(text.slice(at));
    at = TOKEN.lastIndex;
    tokens.push(found[1] ?? compare(entry, found.groups ?? {}));
  }
  const take = (token: string): boolean => tokens[0] === token && tokens.shift() !== undefined;
  // Each operand is taken, also if the outcome is already known. OR binds more closely than AND.
  const all = (): boolean => {
    let result = any();
    while (take('AND')) result = any() && result;
    return result;
  };
  const any = (): boolean => {
    let result = one();
    while (take('OR')) result = one() || result;
    return result;
  };
  const one = (): boolean => {
    const isGroup = take('(');
    const value = isGroup ? all() : tokens.shift();
    if (typeof value !== 'boolean' || (isGroup && !take(')'))) return refuse(filter);
    return value;
  };
  const result = all();
  return tokens.length === 0 ? result : refuse(filter);
}

function refuse(text: string): never {
  throw new Error(`This is not understood in a filter: ${text}`);
}

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
  if (op === '>=') return SEVERITIES.indexOf(String(value)) >= SEVERITIES.indexOf(text);
  const [stored, sought] = [String(value).toLowerCase(), text.toLowerCase()];
  return op === '=' ? stored === sought : stored.includes(sought);
}
