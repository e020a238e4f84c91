// Breaks the code in one place at a time, and prints the breaks that no test notices. Stryker would do this, but it needs
// the compiler's API, which TypeScript 7 does not have.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseAst } from 'vitest/node';
import { Failure, runScript, usageFailure } from '../admin/terminal/failure.ts';
import { startProgress } from '../admin/terminal/progress.ts';

/** The folders and files of tests, below test/. */
interface Plan {
  readonly unit: readonly string[];
  readonly emulator: readonly string[];
  /** The npm script that builds what the emulator's tests use, with its arguments. */
  readonly build?: readonly string[];
}

/** The tests of each part of the code. The first prefix that fits decides. */
const PLANS: Readonly<Record<string, Plan>> = {
  'records/': { unit: ['records', 'http', 'admin', 'contract'], emulator: ['admin', 'rules'] },
  'functions/src/signatures/': {
    unit: ['signatures', 'clients/evidence'],
    emulator: ['signatures'],
    build: ['build'],
  },
  'functions/': { unit: ['http'], emulator: ['http', 'failures'], build: ['build'] },
  'admin/audit/': { unit: ['audit', 'admin/usage'], emulator: ['audit'] },
  'admin/chain/': { unit: ['chain'], emulator: ['audit/audit'] },
  'admin/signing/': { unit: ['signatures', 'admin/usage'], emulator: ['signatures'] },
  'admin/': { unit: ['admin', 'terminal'], emulator: ['admin'] },
  'console/': { unit: ['console'], emulator: ['console'], build: ['console', '--', '--emulators'] },
  'clients/typescript/': { unit: ['clients'], emulator: ['clients/endpoint'] },
  'site/': { unit: ['contract', 'site'], emulator: ['site'], build: ['site'] },
};

/** Nodes that are types only. */
const TYPES = /^TS.*(Type|Interface)/;
/** The longest time for the tests of one mutant. A mutant that exceeds it counts as noticed. */
const MUTANT_TIMEOUT_MS = 300_000;

interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the parser's nodes have no common type
type Node = any;

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '&&': '||', '||': '&&', '??': '&&', '+': '-', '-': '+', '*': '/', '/': '*' },
};

/** The replacements of one node, as [start, end, text]. Messages and types are not mutated. */
function replacements(node: Node, code: string): [number, number, string][] {
  const { start, end } = node;
  const source = (part: Node): string => code.slice(part.start, part.end);
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map((text) => [node.test.start, node.test.end, text]);
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = OPERATORS[node.operator];
      if (operator === undefined || node.left.type.includes('Template')) return [];
      return [[start, end, `((${source(node.left)}) ${operator} (${source(node.right)}))`]];
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [[start, end, source(node.argument)]] : [];
    case 'Literal':
      if (typeof node.value === 'boolean') return [[start, end, `${!node.value}`]];
      return typeof node.value === 'number' ? [[start, end, `${node.value + 1}`]] : [];
    case 'ExpressionStatement':
      return node.directive ? [] : [[start, end, ';']];
    case 'ThrowStatement':
      return [[start, end, ';']];
    default:
      return [];
  }
}

function mutantsOf(file: string): Mutant[] {
  const code = readFileSync(file, 'utf8');
  const found: Mutant[] = [];
  const visit = (node: Node): void => {
    if (node === null || typeof node !== 'object' || TYPES.test(node.type)) return;
    for (const [start, end, text] of replacements(node, code))
      found.push({ file, start, end, text });
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  return found;
}

const succeeds = (command: string, ...words: string[]): boolean =>
  spawnSync(command, words, { stdio: 'ignore', timeout: MUTANT_TIMEOUT_MS }).status === 0;

/** Whether the tests pass, those without emulators first. */
function passes({ unit, emulator, build }: Plan, unitOnly = false): boolean {
  const test = (project: string, filters: readonly string[]): boolean => {
    const options = ['--bail=1', '--passWithNoTests', '--project', project];
    return succeeds('npx', 'vitest', 'run', ...options, ...filters.map((name) => `test/${name}`));
  };
  if (!test('unit', unit)) return false;
  if (unitOnly) return true;
  if (build && !succeeds('npm', 'run', ...build)) return false;
  return test('emulator', emulator);
}

await runScript(async () => {
  const options = { sample: { type: 'string' }, unit: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [target = ''] = positionals;
  const plan = Object.entries(PLANS).find(([prefix]) => `${target}/`.startsWith(prefix))?.[1];
  if (!plan) throw usageFailure(`Name a file or a folder of: ${Object.keys(PLANS).join(' ')}`);
  const files = target.includes('.') ? [target] : globSync(`${target}/**/*.{ts,tsx}`);
  if (!succeeds('git', 'diff', '--quiet', '--', ...files)) {
    throw new Failure('Commit your changes first, because this command edits the files.');
  }
  if (!passes(plan, values.unit)) throw new Failure('The tests fail without a mutant.');
  const all = files.flatMap(mutantsOf).sort(() => Math.random() - 0.5);
  const sample = all.slice(0, Number(values.sample ?? all.length));
  const progress = startProgress(sample.length, 'mutants tried');
  let restore = (): void => undefined;
  process.on('exit', () => restore());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  let survived = 0;
  for (const [index, { file, start, end, text }] of sample.entries()) {
    const code = readFileSync(file, 'utf8');
    restore = () => writeFileSync(file, code);
    writeFileSync(file, code.slice(0, start) + text + code.slice(end));
    if (passes(plan, values.unit)) {
      survived += 1;
      const place = `${file}:${code.slice(0, start).split('\n').length}`;
      progress.note(`${place}: ${code.slice(start, end).replaceAll(/\s+/g, ' ')}  ->  ${text}`);
    }
    restore();
    progress.report(index + 1);
  }
  progress[Symbol.dispose]();
  // The last build was of a mutant.
  if (plan.build && !values.unit) succeeds('npm', 'run', ...plan.build);
  const score = (100 * (1 - survived / sample.length)).toFixed(0);
  console.log(`${sample.length} of ${all.length} mutants, ${survived} survived, score ${score} %`);
  return 0;
});
