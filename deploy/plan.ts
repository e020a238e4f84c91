// Compares the table with the project, and makes the project like it, one entry after the other. It can be interrupted at any
// point, because each step begins with what Google says that there is.

import * as z from 'zod';
import { Failure } from '../cli/terminal/failure.ts';
import { type Google, itemsOf, type Json, jsonObject, LOOK_AGAIN_MS, Refusal } from './google.ts';
import { ensureKey, isUnusable } from './keys.ts';
import { commandsSchema, type Entry, fill, fillEntry, type Template, type Words } from './table.ts';

export interface Difference {
  readonly what: string;
  readonly difference: string;
  /** Whether making it as wanted takes something away that works. */
  readonly isLoss: boolean;
}
interface State {
  readonly entry: Entry;
  /** Undefined if there is no such thing. */
  readonly found: Json | undefined;
  readonly differences: readonly Difference[];
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'missing';
const isObject = (value: unknown): value is Json =>
  jsonObject.safeParse(value).success && !Array.isArray(value);
/** Google takes this field, and no page says that it returns it. */
const UNREAD = 'disableMetricValidation';
/** Lists that may have nothing but what is wanted. To others, somebody may have added more. */
const EXACT = /(^|\.)(roles|includedPermissions)$/;
/** Of these, a change keeps what others have added. */
const KEPT = ['authorizedDomains', 'notificationChannels'];
/** What tells the objects of a list apart. Of these, Google adds names of its own, and the order may be another. */
const IDENTITIES = ['name', 'displayName', 'key'];

type Compared = Omit<Difference, 'what'>[];
/** @returns what `got` lacks of `want`. Objects in lists are found by what tells them apart, or else by their place. */
export function compare(want: unknown, got: unknown, path = ''): Compared {
  if (want === undefined) return [];
  if (Array.isArray(want)) {
    const items = itemsOf(got);
    const extra = items.filter((item) => EXACT.test(path) && !want.includes(item));
    return [
      ...extra.map((one) => ({ difference: `${path} also has ${show(one)}`, isLoss: true })),
      ...want.flatMap((one, index): Compared => {
        const identity = IDENTITIES.find((field) => isObject(one) && field in one) ?? '';
        const name = isObject(one) ? one[identity] : undefined;
        const found = items.find((item, at) => {
          if (!isObject(one)) return item === one;
          return identity ? isObject(item) && item[identity] === name : at === index;
        });
        if (found === undefined)
          return [{ difference: `${path} lacks ${show(one)}`, isLoss: false }];
        return compare(one, found, name ? `${path}.${name}` : path);
      }),
    ];
  }
  if (isObject(want)) {
    if (!isObject(got) && Object.keys(want).length === 0)
      return [{ difference: `${path} is missing`, isLoss: false }];
    const parts = isObject(got) ? got : {};
    return Object.entries(want)
      .filter(([name]) => name !== UNREAD)
      .flatMap(([name, value]) => compare(value, parts[name], path ? `${path}.${name}` : name));
  }
  // Google leaves out what is false, 0 or empty.
  const empty = typeof want === 'string' ? '' : typeof want === 'number' ? 0 : false;
  if (String(want) === String(got ?? empty)) return [];
  const isLoss = want === '' || path.endsWith('abels.key');
  return [{ difference: `${path} is ${show(got)}, not ${show(want)}`, isLoss }];
}

function merge(one: unknown, other: unknown): Json {
  const [left, right] = [one, other].map((value) => (isObject(value) ? value : {}));
  const both = Object.entries(right ?? {}).map(([name, value]) => {
    const before = left?.[name];
    return [name, isObject(value) && isObject(before) ? merge(before, value) : value];
  });
  return { ...left, ...Object.fromEntries(both) };
}

/** `a.b` of an object. */
const fieldOf = (item: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((parent, name) => Reflect.get(Object(parent), name), item);

const policySchema = z.object({
  bindings: z
    .array(z.object({ role: z.string(), members: z.array(z.string()).default([]) }))
    .default([]),
});
/** The roles of a member, without the rest of their names. */
function rolesOf(member: string, policy: Json): Json {
  const { bindings } = policySchema.parse(policy);
  const own = bindings.filter(({ members }) => members.includes(member));
  const roles = own.map(({ role }) => role.split('/').at(-1));
  return { roles, someRoles: roles };
}

/** How often to look whether a change has arrived. */
const LOOKS = 10;

export class Plan {
  readonly #google: Google;
  /** Grows with what is found. */
  readonly #words: Record<string, unknown>;

  constructor(google: Google, words: Words) {
    this.#google = google;
    this.#words = { ...words };
  }

  /** Whether the project does not exist yet, so that nothing in it can be read. */
  get isNew(): boolean {
    return this.#words['number'] === undefined;
  }

  /** @returns what differs, without changing anything */
  async differencesOf(templates: readonly Template[]): Promise<Difference[]> {
    const all: Difference[] = [];
    for (const template of templates) {
      const { entry, differences, found } = await this.#read(template);
      all.push(...differences);
      if (entry.save?.['number'] && !found) {
        const difference =
          'is missing too, unless the project exists and your login may not see it';
        return [...all, { what: 'everything in it', difference, isLoss: false }];
      }
    }
    return all;
  }

  /** Reads an entry, and saves words for later ones. */
  async #read(template: Template): Promise<State> {
    const entry = fillEntry(template, this.#words);
    if (entry.when === '') return { entry, found: undefined, differences: [] };
    const found = await this.#find(entry);
    const compared = found
      ? compare(merge(entry.want, entry.shows), found)
      : [{ difference: 'is missing', isLoss: false }];
    if (found && entry.key && (await isUnusable(this.#google, entry.key)))
      compared.push({ difference: 'the API key that it has does not work', isLoss: false });
    const differences = compared.map((one) => ({ what: entry.what, ...one }));
    for (const [word, from] of found ? Object.entries(entry.save ?? {}) : []) {
      const isField = typeof from === 'string' && from.startsWith('.');
      const value = isField ? found?.[from.slice(1)] : from;
      const known = this.#words[word];
      const isKnown = itemsOf(known).some((one) => show(one) === show(value));
      if (!Array.isArray(known)) this.#words[word] = value;
      else if (!isKnown) this.#words[word] = [...known, value];
    }
    return { entry, found, differences };
  }

  /** The item that is looked for, or what the whole reply says. @throws Failure if there are several such items */
  async #find(entry: Entry): Promise<Json | undefined> {
    const { in: list, pick, of: member, match, shows } = entry;
    const reply = await this.#google.readIfThere(entry.get, list).catch((error: unknown) => {
      // Of a project that does not exist, Google says 403.
      if (entry.save?.['number'] && error instanceof Refusal && /^403/.test(error.reply))
        return undefined;
      throw error;
    });
    if (!reply) return member === undefined ? undefined : rolesOf(member, {});
    if (member !== undefined) return rolesOf(member, reply);
    const items = itemsOf(reply[list ?? '']);
    if (pick !== undefined) return { names: items.map((item) => fieldOf(item, pick)) };
    if (list === undefined) return reply;
    const sought = merge(match ?? { displayName: entry.want['displayName'] }, shows);
    const [found, ...others] = items.filter((item) => compare(sought, item).length === 0);
    if (others.length === 0) return found === undefined ? undefined : jsonObject.parse(found);
    throw new Failure(
      `There is more than one of ${entry.what}. Delete or rename all but one, and run the same command again.`,
    );
  }

  /** Makes an entry as it should be, and returns when Google shows it. @returns what is left to a person */
  async ensure(template: Template): Promise<string[]> {
    let before = '';
    let failure: unknown;
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const { entry, differences } = await this.#read(template);
      if (differences.length === 0) return [];
      const { offer, manual = '' } = entry;
      if (offer !== undefined && looks === 0) {
        const { ask } = this.#google.outside;
        if (!ask || !(await this.#google.agrees(offer))) return [manual];
      }
      const now = differences.map(({ difference }) => difference).join('; ');
      if (now !== before) {
        before = now;
        this.#google.outside.say(`For ${entry.what}:`);
        // A change may arrive although its reply says otherwise, so Google is asked before it is made again or counts.
        failure = await this.#google
          .patiently(async () => {
            const state = await this.#read(template);
            if (state.differences.length > 0) await this.#act(template, state.found);
          })
          .then(() => undefined)
          .catch((error: unknown) => error);
        continue;
      }
      if (failure) throw stopped(entry, failure);
      this.#google.outside.say('    Waiting until Google shows the change.');
      await this.#google.outside.sleep(LOOK_AGAIN_MS);
    }
    const text = `Google has accepted the change, but still shows: ${before}.`;
    throw stopped(fillEntry(template, this.#words), new Failure(text));
  }

  async #act(template: Template, found: Json | undefined): Promise<void> {
    const { key } = fillEntry(template, this.#words);
    if (key !== undefined) Object.assign(this.#words, await ensureKey(this.#google, key));
    const entry = fillEntry(template, this.#words);
    const { in: list, get, match, want, also, first } = entry;
    const body = merge(merge(match, want), merge(also, found ? undefined : first));
    const kept = KEPT.filter((name) => name in body).map((name) => [
      name,
      [...new Set([...itemsOf(found?.[name]), ...itemsOf(body[name])])],
    ]);
    const { etag } = found ?? {};
    const sent = { ...body, ...Object.fromEntries(kept), ...(etag !== undefined && { etag }) };
    const update = entry.update ?? [['PATCH', '$self?updateMask=$fields']];
    const create = entry.create ?? (list === undefined ? update : [['POST', get]]);
    const words = {
      ...want,
      self: list === undefined ? get : this.#google.named(get, found?.['name']),
      fields: Object.keys(merge(want, also)).join(),
    };
    const change = found ? update : create;
    const steps = entry.grant ? grantsOf(this.#google.project, entry, found) : change;
    for (const [program = '', ...rest] of commandsSchema.parse(fill(steps, words))) {
      if (program === 'gcloud') {
        const isNamed = /^(projects|billing)$/.test(rest[0] ?? '');
        const named = isNamed ? rest : [...rest, '--project', this.#google.project];
        await this.#google.run('gcloud', named, { isInteractive: entry.offer !== undefined });
      } else if (program === 'firebase') await this.#google.firebase(rest);
      else await this.#google.change(program, rest[0] ?? '', sent);
    }
  }
}

/** The commands that give a member the roles that it lacks, and take away those that it should not have. */
function grantsOf(project: string, { of: member = '', want, grant = [] }: Entry, found: Json = {}) {
  const [had, wanted] = [found['roles'], want['roles'] ?? want['someRoles']].map(itemsOf);
  const commandFor = (words: readonly string[]) => (role: unknown) => {
    const folder = String(role).startsWith('poh') ? `projects/${project}/roles` : 'roles';
    return [...words, '--member', member, '--role', `${folder}/${role}`, '--format', 'none'];
  };
  const [give = []] = grant;
  const take = give.map((word) => word.replace('add-iam', 'remove-iam'));
  // The roles that somebody has added may have a condition.
  if (take.includes('None')) take.splice(take.indexOf('--condition'), 2, '--all');
  return [
    ...(wanted ?? []).filter((role) => !had?.includes(role)).map(commandFor(give)),
    ...(had ?? []).filter((role) => want['roles'] && !wanted?.includes(role)).map(commandFor(take)),
  ];
}

const stopped = ({ what, hint = 'Fix the cause.' }: Entry, error: unknown): unknown =>
  error instanceof Failure
    ? new Failure(
        `\nStopped at: ${what}.\n${error.message}\n${hint} Run the same command again, which goes on here. Earlier changes are kept.`,
      )
    : error;
