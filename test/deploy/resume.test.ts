// Interrupts a deployment at each call, once before and once after it took effect.

import { expect, test } from 'vitest';
import { runOn, SETTINGS, StandIn } from './standIn.ts';

/** With these, every entry of deploy/project.yaml is made. */
const ALL = { ...SETTINGS, github: 'acme/poh', canaryEmail: 'canary@example.com' };

/** Ids of keys are random, and the numbers of files and revisions count the runs. */
const known = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{12,64}(-dirty)?/g, 'HASH')
    .replaceAll(/poh_\w+/g, 'KEY')
    .replaceAll(/endpoint-\d+-/g, 'endpoint-')
    .replaceAll(/poh-image-\w+/g, 'IMAGE')
    .replaceAll(/stand-in-\w+/g, '')
    .replaceAll(/"hint":\{"stringValue":"\w+"\}/g, '');
const stateOf = ({ things }: StandIn) =>
  [...things].map(([path, thing]) => known(`${path} ${JSON.stringify(thing)}`)).sort();

test('after an interruption at any call, the next run goes on, and ends in the same state', async () => {
  const undisturbed = new StandIn(ALL);
  expect(await runOn(undisturbed)).toMatchObject({ status: 0 });
  const total = new Set(undisturbed.calls.map(known)).size;

  const cloud = new StandIn(ALL);
  const before = new Set<string>();
  const after = new Set<string>();
  let faults = 0;
  cloud.fault = (line) => {
    const call = known(line);
    const left = [before, after].find((done) => !done.has(call));
    if (!left) return undefined;
    faults += 1;
    left.add(call);
    return { reply: 'Interrupted.', isAfter: left === after };
  };
  for (let last = -1; last !== faults; ) {
    last = faults;
    await runOn(cloud);
  }
  expect(stateOf(cloud)).toEqual(stateOf(undisturbed));
  expect(before.size).toBeGreaterThanOrEqual(total);
  expect(after.size).toBe(before.size);
});
