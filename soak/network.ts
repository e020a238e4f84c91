// The network and Google's front end fail under steady lookups, each fault under a function of its own;
// prints how the lookups ended. Inside the emulators: npm run emulators -- node soak/network.ts

import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { getResponse } from '../bench/httpCall.ts';
import { createGoogleCloud } from '../doubles/googleCloud.ts';
import { openEmulators } from '../sandbox/openEmulators.ts';
import { seedLookup } from '../sandbox/seeding.ts';
import { serveFunction } from '../sandbox/servedFunction.ts';
import { runScript } from '../terminal/runScript.ts';
import { formatTable } from '../terminal/table.ts';
import type { Fault } from './fault.ts';
import { FAULTS } from './networkFaults.ts';

/** Concurrent faults: each has a function and a stand-in of its own. */
const AT_ONCE = 4;
const CLIENTS = 4;
const PAUSE_MS = 100;
const BEFORE_MS = 2_000;
const AFTER_MS = 3_000;
const PROMISED_MS = 10_000;

interface Row {
  readonly fault: string;
  readonly seconds: number;
  readonly lookups: number;
  readonly failed: number;
  /** Any response but the right 200 and a 500 in time where the fault excuses it. */
  readonly wrong: number;
  readonly slowestMs: number;
  /** The first lookup that began after the fault: how long it took, when it succeeded. */
  readonly firstAfterMs: number | undefined;
  readonly pingedTooOften: number;
}

interface Lookup {
  readonly ok: boolean;
  readonly ms: number;
}

async function run(fault: Fault, key: string, wallet: string): Promise<Row> {
  const google = await createGoogleCloud(process.env['FIRESTORE_EMULATOR_HOST'] ?? '');
  const served = await serveFunction({ ...google.env, ...(await fault.prepare?.(google)) });
  // The function closes what it finds idle when it wakes up: no connection is kept.
  const agent = new Agent({ keepAlive: false });
  const target = { url: `${served.url}?wallet=${wallet}`, key };
  const lookUp = async (): Promise<Lookup> => {
    const startedAt = performance.now();
    const { status, body } = await getResponse(target, agent);
    const ms = performance.now() - startedAt;
    return { ok: status === 200 && JSON.parse(body).count === 1, ms };
  };
  const lookups: Lookup[] = [];
  let failed = 0;
  let wrong = 0;
  let inFlight = 0;
  let isExcused = false;
  let isIdle = false;
  let isRunning = true;
  const client = async (): Promise<void> => {
    while (isRunning) {
      await pause(PAUSE_MS);
      if (isIdle) continue;
      const mayFail = isExcused;
      inFlight += 1;
      const lookup = await lookUp();
      inFlight -= 1;
      lookups.push(lookup);
      if (!lookup.ok) failed += 1;
      // The fault may also hit a lookup that began before it.
      if (lookup.ms >= PROMISED_MS || !(lookup.ok || mayFail || isExcused)) wrong += 1;
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  await pause(BEFORE_MS);
  isIdle = fault.isIdle ?? false;
  while (isIdle && inFlight > 0) await pause(PAUSE_MS);
  isExcused = fault.mayFail;
  const end = fault.begin({ google, served });
  await pause(fault.seconds * 1_000);
  end();
  isExcused = false;
  const first = await lookUp();
  isIdle = false;
  await pause(AFTER_MS);
  isRunning = false;
  await clients;
  await served.stop();
  agent.destroy();
  google.close();
  console.error(`network: ${fault.name}, ${fault.seconds} s: done`);
  return {
    fault: fault.name,
    seconds: fault.seconds,
    lookups: lookups.length,
    failed,
    wrong,
    slowestMs: Math.round(Math.max(...lookups.map(({ ms }) => ms))),
    firstAfterMs: first.ok ? Math.round(first.ms) : undefined,
    pingedTooOften: google.database.pingedTooOften(),
  };
}

const HEADING = ['fault', 'for', 'lookups', '500', 'wrong', 'slowest', 'first one after it'];

await runScript(async () => {
  const { key, wallet } = await seedLookup(openEmulators().db);
  const rows: Row[] = [];
  const waiting = FAULTS.map((fault, index) => ({ fault, index }));
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      rows[next.index] = await run(next.fault, key, wallet);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  const cells = rows.map((row) => [
    row.fault,
    `${row.seconds} s`,
    `${row.lookups}`,
    `${row.failed}`,
    `${row.wrong}`,
    `${row.slowestMs} ms`,
    row.firstAfterMs === undefined ? 'failed' : `200 after ${row.firstAfterMs} ms`,
  ]);
  console.log(formatTable(HEADING, cells));
  const good = rows.every(
    ({ wrong, firstAfterMs, pingedTooOften }) =>
      wrong === 0 && firstAfterMs !== undefined && pingedTooOften === 0,
  );
  console.log(JSON.stringify({ soak: 'network', good, faults: rows.length }));
  return good ? 0 : 1;
});
