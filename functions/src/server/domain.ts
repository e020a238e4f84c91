// Keeps functions-framework from running each request in a Node domain.

import domain from 'node:domain';

/**
 * Once a domain exists, Node tracks every promise of the process, which costs a lookup more CPU than
 * its reads. The framework uses domains to catch errors that handlers throw later. The endpoint
 * catches every failure itself.
 */
export function withoutDomains(): void {
  const noDomain = { on: () => noDomain, run: (work: () => void) => work() };
  Object.assign(domain, { create: () => noDomain });
}
