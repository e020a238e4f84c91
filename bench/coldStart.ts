// Measures the cold start: from the start of the process to the first 200 of a lookup, of the emulators
// and as deployed: the database over TLS, with an access token of the metadata server.

import { Agent } from 'node:http';
import { createGoogleCloud } from '../doubles/googleCloud.ts';
import { call } from './client.ts';
import { type Contestant, start } from './peers.ts';
import { eachRound } from './progress.ts';
import { compare, type Row } from './rows.ts';
import { writeKey, writeSubjects, writeWallet } from './subjects.ts';

const ROUNDS = 16;

export async function measureColdStart(): Promise<Row[]> {
  const key = await writeKey();
  const { wallet, email } = await writeSubjects(await writeWallet(5));
  const google = await createGoogleCloud(process.env['FIRESTORE_EMULATOR_HOST'] ?? '');
  const deployed = google.env;
  // An empty function looks nothing up, so it starts alike whatever the request and wherever it runs.
  const STARTS = {
    empty: { contestant: 'empty', query: wallet, env: {} },
    wallet: { contestant: 'service', query: wallet, env: {} },
    walletPeer: { contestant: 'straightforward', query: wallet, env: {} },
    walletDeployed: { contestant: 'service', query: wallet, env: deployed },
    walletDeployedPeer: { contestant: 'straightforward', query: wallet, env: deployed },
    email: { contestant: 'service', query: email, env: {} },
    emailPeer: { contestant: 'straightforward', query: email, env: {} },
  } as const satisfies Record<string, { contestant: Contestant; query: string; env: object }>;
  type Start = keyof typeof STARTS;
  const names = Object.keys(STARTS) as Start[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Start,
    number[]
  >;
  await eachRound('cold start', ROUNDS, async () => {
    for (const name of names) times[name].push(await timeFirstResponse(STARTS[name]));
  });
  google.close();

  const row = { section: 'cold start', unit: 'ms' };
  const straightforward = { ...row, peer: 'straightforward' };
  const empty = { ...row, peer: 'empty' };
  const first = 'start to first 200';
  return [
    compare({ ...straightforward, measure: first, target: 0.35 }, times.wallet, times.walletPeer),
    compare({ ...empty, measure: first, target: 0.8 }, times.wallet, times.empty),
    compare(
      { ...straightforward, measure: 'the same, as deployed', target: 0.35 },
      times.walletDeployed,
      times.walletDeployedPeer,
    ),
    compare({ ...empty, measure: 'the same, as deployed' }, times.walletDeployed, times.empty),
    compare({ ...straightforward, measure: 'first e-mail lookup' }, times.email, times.emailPeer),
  ];

  async function timeFirstResponse({
    contestant,
    query,
    env,
  }: (typeof STARTS)[Start]): Promise<number> {
    const startedAt = performance.now();
    const served = await start(contestant, env);
    await served.listening;
    await call({ url: `${served.url}?${query}`, key }, new Agent());
    const time = performance.now() - startedAt;
    await served.stop();
    return time;
  }
}
