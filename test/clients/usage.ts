// Mistakes that must not compile. `npm run check` reports an unused `@ts-expect-error`.

import type { Client } from '../../clients/typescript/index.ts';

export async function mistakes(client: Client): Promise<void> {
  // @ts-expect-error: no subject
  await client.lookUp({});
  // @ts-expect-error: two subjects
  await client.lookUp({ token: 't', wallet: 'w' });
  // @ts-expect-error: one of two subjects is not known to be undefined
  await client.lookUp({ token: 't', wallet: process.env['WALLET'] });
  for await (const found of client.lookUpMany([{ id: 1, wallet: 'w' }])) {
    // @ts-expect-error: there is no result if the lookup failed
    console.log(found.subject.id, found.result.hasVerifiedHuman);
  }
}
