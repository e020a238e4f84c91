// Keeps functions-framework from running each request in a Node domain.

import domain from 'node:domain';

/**
 * Creating one domain makes Node follow every promise of the process from then on, which costs a lookup more CPU than its
 * reads. The framework's domains are for handlers that throw later on; the endpoint catches every failure itself.
 */
export function withoutDomains(): void {
  const none = { on: () => none, run: (work: () => void) => work() };
  Object.assign(domain, { create: () => none });
}
