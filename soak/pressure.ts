// Mixed load, and keys and tokens that are revoked while in use. Inside the emulators.

import { openEmulators } from '../sandbox/openEmulators.ts';
import { randomAddress } from '../sandbox/random.ts';
import { writeAttestation } from '../sandbox/seeding.ts';
import { serveFunction } from '../sandbox/servedFunction.ts';
import { runScript } from '../terminal/runScript.ts';
import { runLoad } from '../test/http/load.ts';
import { type RaceResult, raceRevocation } from '../test/http/revocationRace.ts';

const LOOKUPS = 20_000;
const AT_ONCE = 64;
const RACES_EACH = 50;
/** What counts as flat: the last quarter's memory over the third's. */
const FLAT = 1.1;
const PROGRESS_EVERY = 1_000;

await runScript(async () => {
  const { db, auth } = openEmulators();
  const served = await serveFunction();
  const load = await runLoad({ db, auth }, served, LOOKUPS, AT_ONCE, (done) => {
    if (done % PROGRESS_EVERY === 0) console.error(`load: ${done} of ${LOOKUPS} lookups`);
  });

  const wallet = randomAddress();
  await writeAttestation(db, { wallet, attestationType: 0 });
  const races: RaceResult[] = [];
  for (let race = 1; race <= RACES_EACH; race += 1) {
    if (race % 10 === 0) console.error(`revocation: race ${race} of ${RACES_EACH}`);
    races.push(await raceRevocation(db, served.url, 'key', wallet));
    races.push(await raceRevocation(db, served.url, 'token', wallet));
  }
  await served.stop();

  const sum = (field: keyof RaceResult): number =>
    races.reduce((total, race) => total + race[field], 0);
  const admittedAfter = sum('admittedAfter');
  const memoryGrowth = load.lastQuarterMiB / load.thirdQuarterMiB;
  const good =
    load.wrong === 0 &&
    memoryGrowth <= FLAT &&
    admittedAfter === 0 &&
    races.every((race) => race.admittedBefore > 0 && race.startedAfter > 0);
  const report = {
    soak: 'pressure',
    good,
    requests: load.lookups + sum('requests'),
    wrongAnswers: load.wrong,
    memoryMiB: Math.round(load.lastQuarterMiB),
    memoryGrowth: Number(memoryGrowth.toFixed(2)),
    races: races.length,
    startedAfterRevocation: sum('startedAfter'),
    admittedAfterRevocation: admittedAfter,
  };
  console.log(JSON.stringify(report));
  return good ? 0 : 1;
});
