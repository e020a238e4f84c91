// A rule of the stand-in, and what rules share.

import type { Resource } from './collections.ts';

/** What a rule looks up. */
export interface Project {
  readonly resources: ReadonlyMap<string, Resource>;
  names(collection: string): string[];
}

export interface Refusal {
  readonly status: 400 | 404 | 409;
  readonly message: string;
}

export interface Rule {
  /** Of the resource's name. */
  readonly on: RegExp;
  readonly source: string;
  readonly status?: Refusal['status'];
  /** @returns what is wrong, in the server's words where they are known */
  readonly refuse: (resource: Resource, store: Project, name: string) => string | undefined;
}

/** The message for a thing that does not exist; undefined when it does. */
export const missing = (found: string | undefined, kind: string) =>
  found === undefined ? undefined : `The ${kind} ${found} does not exist.`;

export const isThere = (project: Project, collection: string, id: string): boolean =>
  project.names(collection).some((name) => name.endsWith(`/${id}`));
