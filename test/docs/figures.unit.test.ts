// Compares the figures of docs/capacity.md with those of docs/speed.md, and checks the entries of docs/decisions.md.

import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const capacity = read('capacity');

/** CPU per lookup in milliseconds, as docs/speed.md gives it. */
function cpuMs(attestations: string): number {
  const row = new RegExp(
    `^\\| CPU per lookup, ${attestations} attestations \\| ([\\d.]+) ms `,
    'm',
  );
  return Number(row.exec(read('speed'))?.[1]);
}

const rounded = (value: number, digits: number): string =>
  Number(value.toPrecision(digits)).toLocaleString('en-US');

test('the capacity is calculated from the CPU per lookup in docs/speed.md', () => {
  const perAttestationMs = (cpuMs('1,000') - cpuMs('5')) / 995;
  expect(capacity).toMatch(new RegExp(`\\| \`c\` .*\\| ${cpuMs('5')} `));
  expect(capacity).toContain(`${rounded(1_000 * perAttestationMs, 3)} µs of CPU`);
  expect(capacity).toContain(`about ${rounded(1_000 / perAttestationMs, 2)} attestations a second`);
});

test.each([1, 5, 10, 20, 100])(
  'the cost of unknown keys with %i instances is calculated from the CPU per lookup',
  (instances) => {
    const keysPerSecond = (instances * 1_000) / (cpuMs('5') / 2);
    const dollarsPerDay = (keysPerSecond * 86_400 * 1.71) / 1e6;
    const cells = (capacity.match(new RegExp(`^\\| \\**${instances}\\** .*`, 'm'))?.[0] ?? '')
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());
    expect(cells).toEqual([
      rounded(keysPerSecond, 3),
      `$${rounded(dollarsPerDay, 2)}`,
      rounded((instances * 600) / cpuMs('5'), 3),
    ]);
  },
);

const entries = read('decisions').split('\n### ').slice(1);
const FIELDS =
  /\n- \*\*Instead of:\*\* \S.*\n- \*\*Because:\*\* \S.*\n- \*\*Revisit:\*\* \S.*\*\*Date:\*\*\s2\d{3}-\d\d-\d\d/s;

test.each(entries.map((entry) => [entry.split('\n', 1)[0], entry]))(
  'the decision "%s" has all fields and names existing files',
  (_title, entry) => {
    expect(entry).toMatch(FIELDS);
    const code = entry.split('**Code:**')[1]?.split('\n## ')[0] ?? '';
    const missing = [...code.matchAll(/`([^`]+)`/g)].filter(
      ([, file]) => globSync(`{${file},functions/src/google/${file}}`).length === 0,
    );
    expect(missing).toEqual([]);
  },
);
