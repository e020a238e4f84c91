// Breaks the code in one place at a time, and prints the breaks that a command, which runs tests, does not notice. Stryker
// would do this, but it needs the compiler's API, which TypeScript 7 does not have.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseAst } from 'vitest/node';
import { Failure, runScript, usageFailure } from '../admin/terminal/failure.ts';
import { startProgress } from '../admin/terminal/progress.ts';

/** Nodes that are types only. */
const TYPES = /^TS.*(Type|Interface)/;
/** The longest time for the command. A mutant that exceeds it counts as noticed. */
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

const passes = (command: string): boolean =>
  spawnSync(command, { shell: true, stdio: 'ignore', timeout: MUTANT_TIMEOUT_MS }).status === 0;

await runScript(async () => {
  const options = { sample: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [target, command] = positionals;
  if (target === undefined || command === undefined) {
    throw usageFailure("Use: npm run mutants -- FILE-OR-FOLDER 'COMMAND' [--sample NUMBER]");
  }
  const files = target.includes('.') ? [target] : globSync(`${target}/**/*.{ts,tsx}`);
  if (!passes(`git diff --quiet -- ${files.join(' ')}`)) {
    throw new Failure('Commit your changes first, because this command edits the files.');
  }
  if (!passes(command)) throw new Failure('The tests fail without a mutant.');
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
    if (passes(command)) {
      survived += 1;
      const place = `${file}:${code.slice(0, start).split('\n').length}`;
      progress.note(`${place}: ${code.slice(start, end).replaceAll(/\s+/g, ' ')}  ->  ${text}`);
    }
    restore();
    progress.report(index + 1);
  }
  progress.end();
  // If the command builds, its last build was of a mutant.
  passes(command);
  const score = (100 * (1 - survived / sample.length)).toFixed(0);
  console.log(`${sample.length} of ${all.length} mutants, ${survived} survived, score ${score} %`);
  return 0;
});
