// Reads project.yaml, the table of what a project should have, and fills in the words that begin with `$`: the settings, and
// what is found on the way. Must not know Google's addresses.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { placeSchema, readAlert } from './alerts.ts';
import { type Json, jsonObject, type Outside } from './google.ts';
import { keyFile, storedKey } from './keys.ts';
import type { Settings } from './settings.ts';

/** Each command is a list of words. */
export const commandsSchema = z.array(z.array(z.string()));
const commands = commandsSchema.optional();
/** project.yaml explains the fields. */
const entrySchema = z.strictObject({
  what: z.string(),
  when: z.union([z.string(), z.boolean()]).optional(),
  security: z.boolean().optional(),
  key: z.literal(['uptime', 'canary']).optional(),
  get: z.string(),
  of: z.string().optional(),
  in: z.string().optional(),
  pick: z.string().optional(),
  match: jsonObject.optional(),
  shows: jsonObject.optional(),
  want: jsonObject.default({}),
  also: jsonObject.optional(),
  first: jsonObject.optional(),
  save: jsonObject.optional(),
  create: commands,
  update: commands,
  grant: commands,
  hint: z.string().optional(),
  offer: z.string().optional(),
  manual: z.string().optional(),
});
export type Entry = z.infer<typeof entrySchema>;
/** What an entry is before its words are filled in, and the values of the words that only it has. */
export interface Template {
  readonly raw: Json;
  readonly own: Words;
}
export type Words = Readonly<Record<string, unknown>>;

/** A text that is exactly one word becomes its value, and in a list, a list becomes its items. */
export function fill(value: unknown, words: Words): unknown {
  if (typeof value === 'string') {
    const [, only = ''] = /^\$(\w+)$/.exec(value) ?? [];
    if (only in words) return words[only];
    return value.replaceAll(/\$(\w+)/g, (text, word) => String(words[word] ?? text));
  }
  if (Array.isArray(value)) {
    return value.flatMap((one) =>
      typeof one === 'string' ? fill(one, words) : [fill(one, words)],
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one, words)]));
}

export const fillEntry = ({ raw, own }: Template, words: Words): Entry =>
  entrySchema.parse(fill(fill(raw, own), words));

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

/** The parts of the table in the order in which they are made, and the deployment of the code between them. */
export type Part = 'before' | 'code' | 'after';
const table = z.record(z.literal(['before', 'code', 'after']), z.array(jsonObject));

/** Splits commands into words before these are filled in, because a path may contain a space. */
const splitCommands = (name: unknown, value: unknown): unknown =>
  /^(create|update|grant)$/.test(String(name))
    ? [value].flat().map((one) => String(one).split(' '))
    : value;

/** @param words at least the settings */
export function readTable(words: Words): Record<Part, Template[]> {
  const parsed = parse(read('project.yaml'), splitCommands, { merge: true });
  const { before, code, after } = table.parse(parsed);
  const expand = (some: readonly Json[]) => some.flatMap((one) => expandEntry(one, words));
  return { before: expand(before), code: expand(code), after: expand(after) };
}

/** An entry for each file, whose content it wants too, or for each value. */
function expandEntry({ files, each, ...raw }: Json, words: Words): Template[] {
  if (typeof files === 'string')
    return globSync(files, { cwd: import.meta.dirname })
      .sort()
      .map((file) => {
        const content = jsonObject.parse(
          file.startsWith('alerts/')
            ? readAlert(file, placeSchema.parse(words))
            : parse(read(file)),
        );
        const want = { ...content, ...Object(raw['want']) };
        return { raw: { ...raw, want }, own: { name: basename(file, '.yaml') } };
      });
  if (each === undefined) return [{ raw, own: {} }];
  const values = fill(each, words);
  return Array.isArray(values)
    ? values.map((name) => ({ raw, own: { name } }))
    : Object.entries(Object(values)).map(([name, value]) => ({ raw, own: { name, value } }));
}

/** @param folders undefined on a machine that has no keys */
export const wordsOf = (
  project: string,
  settings: Settings,
  folders: Outside['folders'] | undefined,
): Words => ({
  ...settings,
  project,
  site: `${settings.pagesSite}.web.app`,
  consoleHost: `${settings.consoleSite}.web.app`,
  noSignUp: !settings.signUp,
  // Found later.
  channels: [],
  audited: '',
  jobSecrets: [],
  // Undefined if this machine does not know which key is in use.
  canaryKeyFile: folders ? keyFile(folders, project, 'canary') : '',
  canaryKeyId: folders && storedKey(folders, project, 'canary')?.id,
  uptimeKeyId: folders && storedKey(folders, project, 'uptime')?.id,
});
