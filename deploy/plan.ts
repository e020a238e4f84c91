// Compares the table with the project, and makes the project like it, one entry after the other. It can be interrupted at any
// point, because each step begins with what Google says that there is.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../cli/terminal/failure.ts';
import { type Google, itemsOf, type Json, jsonObject, Refusal } from './google.ts';
import { type Entry, fillEntry, type Words } from './state.ts';

export interface Difference {
  readonly what: string;
  readonly difference: string;
  /** Whether making it as wanted takes something away that works. */
  readonly isLoss: boolean;
}
interface State {
  readonly what: string;
  /** Undefined if there is no such thing. */
  readonly found: Json | undefined;
  readonly differences: readonly Omit<Difference, 'what'>[];
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'missing';
const isObject = (value: unknown): value is Json =>
  jsonObject.safeParse(value).success && !Array.isArray(value);
/** Google takes this field, and no page says that it returns it. */
const UNREAD = 'disableMetricValidation';
/** Lists that may have nothing but what is wanted. To others, somebody may have added more, which is kept. */
const EXACT = 'includedPermissions';
const KEPT = ['authorizedDomains', 'notificationChannels'];
/** The fields by which an item of a list is found. */
const NAMES = ['name', 'displayName'];

/** @returns what `got` lacks of `want` */
export function compare(want: unknown, got: unknown, path = ''): Omit<Difference, 'what'>[] {
  const isLoss = want === '' || /labels\.key$/i.test(path);
  if (want === undefined) return [];
  if (Array.isArray(want)) {
    const items = itemsOf(got);
    const extra = path.endsWith(EXACT) ? items.filter((item) => !want.includes(item)) : [];
    return [
      ...extra.map((one) => ({ difference: `${path} also has ${show(one)}`, isLoss })),
      ...want.flatMap((one) => {
        const name = NAMES.find((field) => isObject(one) && field in one) ?? '';
        const same = items.find(
          (item) => isObject(one) && isObject(item) && one[name] === item[name] && name,
        );
        if (same || (want.length === 1 && items.length === 1 && isObject(one))) {
          return compare(
            one,
            same ?? items[0],
            name && isObject(one) ? `${path}.${one[name]}` : path,
          );
        }
        const isThere = items.some((item) => compare(one, item).length === 0);
        return isThere ? [] : [{ difference: `${path} lacks ${show(one)}`, isLoss }];
      }),
    ];
  }
  if (isObject(want)) {
    const fields = Object.entries(want).filter(([name]) => name !== UNREAD);
    if (!isObject(got) && fields.length === 0)
      return [{ difference: `${path} is missing`, isLoss }];
    const parts = isObject(got) ? got : {};
    return fields.flatMap(([name, value]) =>
      compare(value, parts[name], path ? `${path}.${name}` : name),
    );
  }
  // Google leaves out what is false, 0 or empty.
  const empty = typeof want === 'string' ? '' : typeof want === 'number' ? 0 : false;
  if (String(want) === String(got ?? empty)) return [];
  return [{ difference: `${path} is ${show(got)}, not ${show(want)}`, isLoss }];
}

/** Writes `firestore/v1/x` as the address that it stands for. */
const addressOf = (path: string, project: string): string =>
  path.startsWith('https:')
    ? path
    : path.replace(/^(\w+)\/(\w+)\//, `https://$1.googleapis.com/$2/projects/${project}/`);

const folder = mkdtempSync(join(tmpdir(), 'poh-deploy-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;
function writeBody(body: Json): string {
  files += 1;
  const file = join(folder, `${files}.json`);
  writeFileSync(file, JSON.stringify(body, null, 2), { mode: 0o600 });
  return file;
}

const bindingSchema = z.object({ role: z.string(), members: z.array(z.string()).catch([]) });

/** How often to look whether a change has arrived. */
const LOOKS = 10;
const LOOK_AGAIN_MS = 5_000;

export class Plan {
  readonly #google: Google;
  /** Grows with what is found. */
  readonly #words: Record<string, unknown>;

  constructor(google: Google, words: Words) {
    this.#google = google;
    this.#words = { ...words };
  }

  #isProjectMissing = false;

  /** Adds words for later entries. */
  learn(words: Words): void {
    Object.assign(this.#words, words);
  }

  isNeeded = ({ when }: Entry): boolean => when === undefined || this.#words[when] !== '';

  /** Reads an entry, and saves words for later ones. @param isPatient whether to wait for an API that is new */
  async read(template: Entry, isPatient: boolean): Promise<State> {
    const entry = fillEntry(template, this.#words);
    const found = await this.#find(entry, isPatient);
    const { what } = entry;
    if (!found) return { what, found, differences: [{ difference: 'is missing', isLoss: false }] };
    for (const [word, from] of Object.entries(entry.save ?? {})) {
      const value = from.startsWith('.') ? found[from.slice(1)] : from;
      const known = this.#words[word];
      this.#words[word] = Array.isArray(known) ? [...new Set([...known, value])] : value;
    }
    return {
      what,
      found,
      differences: entry.only ? othersOf(entry.only, found) : compare(entry.want ?? {}, found),
    };
  }

  /** The one that is like `match`, or all items of a list. @throws Failure if there are several */
  async #find(entry: Entry, isPatient: boolean): Promise<Json | undefined> {
    const { project } = this.#google;
    if (this.#isProjectMissing && !isPatient) return undefined;
    const read = () => this.#google.read(addressOf(entry.get, project), entry.in);
    const reply = await (isPatient ? this.#google.patiently(read) : read()).catch(
      (error: unknown) => {
        // What an API that is off would have does not exist. Of a project that does not exist, Google says 403.
        const absent = entry.save?.['NUMBER'] ? /^403/ : /SERVICE_DISABLED|has not been used/;
        if (error instanceof Refusal && absent.test(error.reply)) return undefined;
        throw error;
      },
    );
    if (entry.save?.['NUMBER']) this.#isProjectMissing = reply === undefined;
    const { match, in: list } = entry;
    if (!reply || !match || list === undefined) return reply;
    const [found, ...others] = itemsOf(reply[list]).filter(
      (item) => compare(match, item).length === 0,
    );
    if (others.length === 0) return found === undefined ? undefined : jsonObject.parse(found);
    throw new Failure(
      `There is more than one of ${entry.what}. Delete or rename all but one, and run the same command again.`,
    );
  }

  /** Makes an entry as it should be, and returns when Google shows it. */
  async ensure(template: Entry): Promise<void> {
    let before = '';
    let failure: unknown;
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const { found, differences } = await this.read(template, true);
      if (differences.length === 0) return;
      const now = differences.map(({ difference }) => difference).join('; ');
      const entry = fillEntry(template, this.#words);
      if (now === before) {
        if (failure) throw stopped(entry, failure);
        this.#google.outside.say('    Waiting until Google shows the change.');
        await this.#google.outside.sleep(LOOK_AGAIN_MS);
        this.#google.forget();
        continue;
      }
      before = now;
      // A command may fail although it has changed everything, so Google is asked again before it counts.
      failure = await this.#google
        .patiently(() => this.#act(entry, found))
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    }
    throw stopped(
      template,
      new Failure(`Google has accepted the change, but still shows: ${before}.`),
    );
  }

  async #act(entry: Entry, found: Json | undefined): Promise<void> {
    const { create = entry.update, update = entry.create } = entry;
    const wanted = (found && entry.updateBody) || entry.body || entry.want || {};
    const body: Record<string, unknown> = { ...wanted };
    for (const list of KEPT) {
      if (list in body)
        body[list] = [...new Set([...itemsOf(found?.[list]), ...itemsOf(body[list])])];
    }
    // An update of a dashboard must name the version that it replaces.
    if (found?.['etag'] && 'gridLayout' in body) body['etag'] = found['etag'];
    for (const command of [(found ? update : create) ?? []].flat()) {
      const [program = '', ...words] = (command.match(/'[^']*'|\S+/g) ?? []).map((word) =>
        word.replaceAll("'", ''),
      );
      if (/^(POST|PATCH)$/.test(program)) {
        await this.#google.change(program, addressOf(words[0] ?? '', this.#google.project), body);
        continue;
      }
      const replaced = words.map((word) => {
        if (word === 'FILE') return writeBody(body);
        // gcloud takes an empty list for no change.
        if (word === '--set-secrets=') return '--clear-secrets';
        if (word === 'FOUND')
          return (
            String(found?.['name'] ?? '')
              .split('/')
              .at(-1) ?? ''
          );
        if (word === 'EXTRA')
          return (
            othersOf(entry.only, found ?? {})[0]
              ?.difference.split(' ')
              .at(-1) ?? ''
          );
        return word;
      });
      const isNamed = /^(projects|billing)$/.test(words[0] ?? '');
      const project = isNamed ? [] : ['--project', this.#google.project];
      await this.#google.run(z.literal(['gcloud', 'firebase']).parse(program), [
        ...replaced,
        ...project,
      ]);
    }
  }
}

/** The roles that an account has besides its own, one a difference. */
function othersOf(only: Entry['only'], policy: Json): Omit<Difference, 'what'>[] {
  if (!only) return [];
  const bindings = itemsOf(policy['bindings']).map((one) => bindingSchema.parse(one));
  return bindings
    .filter(({ role, members }) => members.includes(only.member) && !only.roles.includes(role))
    .map(({ role }) => ({ difference: `it also has ${role}`, isLoss: true }));
}

const stopped = ({ what, hint = '' }: Entry, error: unknown): unknown =>
  error instanceof Failure
    ? new Failure(
        `\nStopped at: ${what}.\n${error.message}\n${hint || 'Fix the cause.'} Run the same command again, which goes on here. Earlier changes are kept.`,
      )
    : error;
