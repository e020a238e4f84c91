// The type of the double's rules, and functions that they share.

import type { Policy, Resource } from './collections.ts';

/** The resources that a rule can look up. */
export interface Project {
  readonly resources: ReadonlyMap<string, Resource>;
  /** The IAM policies by the name of their resource. */
  readonly policies: ReadonlyMap<string, Policy>;
  names(collection: string): string[];
}

export interface Refusal {
  readonly status: 400 | 404 | 409;
  readonly message: string;
}

export interface Rule {
  /** Matches the resource's name. */
  readonly on: RegExp;
  readonly source: string;
  readonly status?: Refusal['status'];
  /** @returns what is wrong, in the server's words if they are known */
  readonly refuse: (resource: Resource, store: Project, name: string) => string | undefined;
}

/** The message for a resource that does not exist; undefined if it exists. */
export const missing = (found: string | undefined, kind: string) =>
  found === undefined ? undefined : `The ${kind} ${found} does not exist.`;

export const exists = (project: Project, collection: string, id: string): boolean =>
  project.names(collection).some((name) => name.endsWith(`/${id}`));
