// Stores the resources of a Google project and their IAM policies, and serves the REST APIs that create,
// list, update and delete them. Applies RULES.

import { COLLECTIONS, object, type Policy, policy, type Resource } from './collections.ts';
import type { Call, Reply } from './proxy.ts';
import { brokenRule, wrongMember } from './rules.ts';

/** An error as Google's APIs return it. */
export const refusal = (code: number, status: string, message: string): Reply => ({
  status: code,
  body: { error: { code, status, message } },
});

const partsOf = (name: string) => name.split('/');
const kindOf = (name: string) => COLLECTIONS[partsOf(name).at(-2) ?? ''] ?? {};
const shown = (name: string, resource: Resource): Resource =>
  kindOf(name).shown?.(resource) ?? resource;

export class Store {
  /** The resources by name, for example projects/p/alertPolicies/1. */
  readonly resources = new Map<string, Resource>();
  /** The policies by the name of their resource. */
  readonly policies = new Map<string, Policy>();
  /** The uploaded files by name. */
  readonly files = new Map<string, Buffer>();
  #last = 0;

  /** The names of the resources in a collection, such as alertPolicies. */
  names(collection: string): string[] {
    return [...this.resources.keys()].filter((name) => partsOf(name).at(-2) === collection);
  }

  /** @returns undefined if the request does not concern resources */
  respond(call: Call): Reply | undefined {
    const [, name = '', verb] = /^\/v\d\w*\/([^:]+)(?::(\w+))?$/.exec(call.path) ?? [];
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
    const { shortName, complete, operation } = kindOf(name);
    const isNew = !this.resources.has(name);
    const broken = brokenRule(name, resource, this);
    if (broken) return refusal(broken.status, 'INVALID_ARGUMENT', broken.message);
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
    const key = partsOf(collection).at(-1) ?? '';
    const parts = partsOf(collection);
    const isIn = (name: string) =>
      partsOf(name).length === parts.length + 1 &&
      // A dash matches every location.
      parts.every((part, index) => part === '-' || part === partsOf(name)[index]);
    const found = [...this.resources]
      .filter(([name]) => isIn(name))
      .map(([name, one]) => shown(name, one));
    return { [COLLECTIONS[key]?.list ?? key]: found };
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
    const mask = call.query
      .get('updateMask')
      ?.split(',')
      .map((path) => path.split('.')[0] ?? '');
    const kept = Object.entries(before).filter(([key]) => (mask ? !mask.includes(key) : !replaced));
    const taken = Object.entries(update).filter(([key]) => !mask || mask.includes(key));
    return this.put(name, Object.fromEntries([...kept, ...taken]));
  }

  #setPolicy(name: string, call: Call): Reply {
    const { bindings } = policy.parse(object.parse(call.body)['policy']);
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
