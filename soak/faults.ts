// Freezes and kills the database again and again under steady lookups. Inside the emulators.

import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { getResponse } from '../bench/httpCall.ts';
import { openEmulators } from '../sandbox/openEmulators.ts';
import { seedLookup } from '../sandbox/seeding.ts';
import { serveFunction } from '../sandbox/servedFunction.ts';
import { runScript } from '../terminal/runScript.ts';
import { createFirestoreProcess } from '../test/failures/firestoreProcess.ts';

const ROUNDS = 5;
const CLIENTS = 16;
const PROMISED_MS = 10_000;
const STEADY_MS = 1_000;
/** Longer than a request may take, so that the freeze is felt. */
const FREEZE_MS = 11_000;

const firestore = await createFirestoreProcess();
process.env['FIRESTORE_EMULATOR_HOST'] = firestore.host;
await firestore.start();

await runScript(async () => {
  const served = await serveFunction();
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const { db } = openEmulators();
  let { key, wallet } = await seedLookup(db);
  const counts = { requests: 0, found: 0, failed: 0, wrongAnswers: 0, survived: 0 };

  /** @returns the status; anything but the right 200 or the 500 in time is wrong */
  const lookUp = async (mayBeEmptied = false): Promise<number> => {
    const startedAt = performance.now();
    const target = { url: `${served.url}?wallet=${wallet}`, key };
    const { status, body } = await getResponse(target, agent);
    const { hasVerifiedHuman, count, code } = JSON.parse(body);
    counts.requests += 1;
    const ms = performance.now() - startedAt;
    // A database that was killed comes back empty: until it is seeded, neither the key nor, for a
    // request whose key was read before, the wallet's attestations are known.
    const isEmptied = mayBeEmptied && (status === 401 || (status === 200 && count === 0));
    if (status === 200 && hasVerifiedHuman && ms < PROMISED_MS) counts.found += 1;
    else if (status === 500 && code === 'internal' && ms < PROMISED_MS) counts.failed += 1;
    else if (!isEmptied || ms >= PROMISED_MS) {
      counts.wrongAnswers += 1;
      console.error(`wrong response after ${Math.round(ms)} ms: ${status} ${code}, count ${count}`);
    }
    return status;
  };
  const underLoad = async (empties: boolean, fault: () => Promise<void>): Promise<void> => {
    let running = true;
    const client = async (): Promise<void> => {
      while (running) await lookUp(empties);
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    await pause(STEADY_MS);
    await fault();
    running = false;
    await clients;
    if ((await lookUp()) === 200) counts.survived += 1;
  };

  for (let round = 1; round <= ROUNDS; round += 1) {
    console.error(`faults: round ${round} of ${ROUNDS}`);
    await underLoad(false, async () => {
      firestore.freeze();
      await pause(FREEZE_MS);
      firestore.thaw();
      await pause(STEADY_MS);
    });
    await underLoad(true, async () => {
      await firestore.kill();
      await pause(STEADY_MS);
      await firestore.start();
      ({ key, wallet } = await seedLookup(db));
    });
  }
  agent.destroy();
  await served.stop();
  await firestore.kill();
  const faults = 2 * ROUNDS;
  const good = counts.wrongAnswers === 0 && counts.survived === faults;
  console.log(JSON.stringify({ soak: 'faults', good, faults, ...counts }));
  return good ? 0 : 1;
});
