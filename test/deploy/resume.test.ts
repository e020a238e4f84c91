// Interrupts a deployment at each call, once before and once after it took effect.

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { textOf } from './repository.ts';
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

const made = new StandIn(ALL);
expect(await runOn(made)).toMatchObject({ status: 0 });
const { drifts } = parse(textOf('test/deploy/cases.yaml'));

/** Everything is there, and nothing is as it should be. */
function drifted(): StandIn {
  const cloud = made.copy();
  cloud.strip();
  for (const [, path, change] of drifts) cloud.set(path, change);
  return cloud;
}

function moved(): StandIn {
  const cloud = made.copy();
  cloud.writeSettings({ ...ALL, region: 'europe-west1' });
  return cloud;
}

test.each<[string, () => StandIn, string[], string]>([
  ['a first deployment', () => new StandIn(ALL), [], 'projects create'],
  ['a deployment that sets everything back', drifted, [], 'remove-iam-policy-binding'],
  ['a move to another region', moved, [], 'functions:delete'],
  ['a trial', () => made.copy(), ['trial'], '--update-tags'],
  ['a roll back', () => made.copy(), ['back', '--to', made.revision()], 'update-traffic'],
])(
  '%s that is interrupted at any call goes on with the next run, and ends in the same state',
  async (_, start, words, part) => {
    const undisturbed = start();
    expect(await runOn(undisturbed, ...words)).toMatchObject({ status: 0 });
    const total = new Set(undisturbed.calls.map(known)).size;
    expect(undisturbed.calls).toContainEqual(expect.stringContaining(part));

    const cloud = start();
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
      await runOn(cloud, ...words);
    }
    expect(stateOf(cloud)).toEqual(stateOf(undisturbed));
    expect(before.size).toBeGreaterThanOrEqual(total);
    expect(after.size).toBe(before.size);
  },
);
