// Stores the resources of a Google project and their IAM policies, and serves the REST APIs that create,
// list, update and delete them.

import type { z } from 'zod';
import {
  type Call,
  COLLECTIONS,
  iamPolicy,
  object,
  type Project,
  type Reply,
  type Resource,
  wrongMember,
} from './resources.ts';

/** An error as Google's APIs return it. */
export const refusal = (code: number, status: string, message: string): Reply => ({
  status: code,
  body: { error: { code, status, message } },
});

const partsOf = (name: string) => name.split('/');
const collectionOf = (name: string) => partsOf(name).at(-2) ?? '';
const kindOf = (name: string) => COLLECTIONS[collectionOf(name)] ?? {};
const shown = (name: string, resource: Resource) => kindOf(name).shown?.(resource) ?? resource;

export class Store implements Project {
  /** The resources by name, for example projects/p/alertPolicies/1. */
  readonly resources = new Map<string, Resource>();
  readonly policies = new Map<string, z.infer<typeof iamPolicy>>();
  /** The uploaded files by name. */
  readonly files = new Map<string, Buffer>();
  /** The log, as Cloud Logging returns it. */
  readonly entries: object[] = [];
  /** A region that does not respond. */
  unreachable: string | undefined;
  #last = 0;

  /** The names of the resources in a collection, such as alertPolicies. */
  names(collection: string): string[] {
    return [...this.resources.keys()].filter((name) => collectionOf(name) === collection);
  }

  /** @returns undefined if the request does not concern resources */
  respond(call: Call): Reply | undefined {
    const [, name = '', verb] = /^\/v\d\w*\/([^:]+)(?::(\w+))?$/.exec(call.path) ?? [];
    if (this.unreachable && name.includes(`/locations/${this.unreachable}/`)) {
      return refusal(503, 'UNAVAILABLE', `The region ${this.unreachable} does not respond.`);
    }
    if (verb === 'testIamPermissions') return { body: call.body };
    if (verb === 'getIamPolicy') return { body: this.policies.get(name) ?? { etag: 'BwX=' } };
    if (verb === 'setIamPolicy') return this.#setPolicy(name, call);
    if (name === '' || verb !== undefined) return undefined;
    if (partsOf(name).length % 2 === 0) return this.#one(name, call);
    if (call.method === 'GET') return { body: this.#list(name) };
    return call.method === 'POST' ? this.#create(name, call) : undefined;
  }

  /** Creates or replaces a resource as its API does. */
  put(name: string, resource: Resource): Reply {
    const { shortName, complete, operation, rule } = kindOf(name);
    const broken = rule?.(resource, this, name);
    if (broken !== undefined) return refusal(400, 'INVALID_ARGUMENT', broken);
    const isNew = !this.resources.has(name);
    const stored = {
      ...(complete?.(name, resource) ?? resource),
      name: shortName ? partsOf(name).at(-1) : name,
      // Four digits are valid Base64, which some APIs require.
      etag: String(++this.#last).padStart(4, '0'),
    };
    this.resources.set(name, stored);
    const returnsOperation = operation === 'create and update' || (operation && isNew);
    return { body: returnsOperation ? this.#operation(name, stored) : shown(name, stored) };
  }

  #list(collection: string): Resource {
    const parts = partsOf(collection);
    const key = parts.at(-1) ?? '';
    const unreachable = parts.includes('-') ? this.unreachable : undefined;
    const isIn = (name: string) =>
      partsOf(name).length === parts.length + 1 &&
      // A dash matches every location that responds.
      parts.every((part, index) => part === '-' || part === partsOf(name)[index]) &&
      !(unreachable && partsOf(name).includes(unreachable));
    const found = [...this.resources].filter(([name]) => isIn(name));
    return {
      [COLLECTIONS[key]?.list ?? key]: found.map(([name, one]) => shown(name, one)),
      ...(unreachable && { unreachable: [unreachable] }),
    };
  }

  #create(parent: string, call: Call): Reply {
    const { id, resource } = COLLECTIONS[partsOf(parent).at(-1) ?? ''] ?? {};
    const body = object.parse(call.body);
    const name = `${parent}/${id?.(call, body) ?? ++this.#last}`;
    if (this.resources.has(name)) {
      return refusal(409, 'ALREADY_EXISTS', `Resource '${name}' already exists.`);
    }
    if (call.query.get('validateOnly') === 'true') return { body };
    return this.put(name, object.parse(resource?.(body) ?? body));
  }

  #one(name: string, call: Call): Reply {
    const before = this.resources.get(name);
    if (!before) return refusal(404, 'NOT_FOUND', `Resource '${name}' was not found.`);
    if (call.method === 'GET') return { body: shown(name, before) };
    if (call.method === 'DELETE') {
      this.resources.delete(name);
      return { body: this.#operation(name, {}) };
    }
    const { resource, replaced } = kindOf(name);
    const body = object.parse(call.body);
    if (body['etag'] !== undefined && body['etag'] !== before['etag']) {
      return refusal(409, 'ABORTED', `The etag of '${name}' is not the current one.`);
    }
    const update = object.parse(resource?.(body) ?? body);
    const paths = call.query.get('updateMask')?.split(',');
    const mask = paths?.map((path) => path.split('.')[0] ?? '');
    const kept = Object.entries(before).filter(([key]) => (mask ? !mask.includes(key) : !replaced));
    const taken = Object.entries(update).filter(([key]) => !mask || mask.includes(key));
    return this.put(name, Object.fromEntries([...kept, ...taken]));
  }

  #setPolicy(name: string, call: Call): Reply {
    const { bindings } = iamPolicy.parse(object.parse(call.body)['policy']);
    for (const member of bindings.flatMap(({ members }) => members)) {
      const wrong = wrongMember(member, this);
      if (wrong !== undefined) return refusal(400, 'INVALID_ARGUMENT', wrong);
    }
    this.policies.set(name, { bindings });
    return { body: { bindings, etag: 'BwX=' } };
  }

  /** An operation that has already ended. */
  #operation(name: string, response: Resource): Resource {
    const operation = `${partsOf(name).slice(0, 4).join('/')}/operations/${++this.#last}`;
    const ended = { name: operation, done: true, response };
    this.resources.set(operation, ended);
    return ended;
  }
}
