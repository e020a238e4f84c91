// Compares the documents for operators with the command line, the form of keys and the deploy parameters.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { assembleProgram } from '../../admin/program.ts';
import { hashApiKey, keyId } from '../../records/apiKey.ts';
import { API_KEY_PATTERN, newApiKey } from '../../records/apiKeyText.ts';

const text = ['administration', 'audit', 'deploy', 'runbook']
  .map((name) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8'))
  .join('\n');

const commands = assembleProgram().commands.flatMap((group) =>
  group.commands.map((command) => `${group.name()} ${command.name()}`),
);

test.each(commands)('shows %s', (command) => {
  expect(text).toMatch(new RegExp(`admin -- .*${command}\\b`));
});

test('gives secret scanners the pattern of a key', () => {
  expect(text).toContain(`\n${API_KEY_PATTERN.source}\n`);
});

test('says how many digits an id has', () => {
  const { length } = keyId(hashApiKey(newApiKey(randomBytes)));
  expect(text).toContain(`the first ${length} digits`);
  expect(text).toContain(`cut -c1-${length}`);
});

// test/deploy/parameters.unit.test.ts compares the names in .env with the function's parameters.
const parameters = parseEnv(readFileSync(new URL('../../.env', import.meta.url), 'utf8'));

test.each(Object.keys(parameters))('says how to set %s', (name) => {
  expect(text).toContain(`'${name}=`);
});
