// The guide's samples, each with what runs it, and the project in which they run.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNode22, makeProject, NoRegistry } from './emptyProject.ts';
import { type Outcome, readSamples, runProgram, type Sample, saveSample } from './samples.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLIENT = join(ROOT, 'docs/attestationsClient.ts');
const HAS_GO = spawnSync('go', ['version']).status === 0;
if (!HAS_GO) {
  console.warn('\n*** THE GO SAMPLE IS NOT TESTED: there is no Go (Debian: golang-go). ***\n');
}
const HAS_CRYPTOGRAPHY = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
if (!HAS_CRYPTOGRAPHY) {
  console.warn(
    '\n*** EVIDENCE IN PYTHON IS NOT TESTED: there is no cryptography (Debian: python3-cryptography). ***\n',
  );
}
const canRun = ({ language, code }: Sample): boolean =>
  (language !== 'go' || HAS_GO) && (!code.includes('from evidence import') || HAS_CRYPTOGRAPHY);
/** The registry may be out of reach at a desk; where everything has to run, that is a failure. */
const REGISTRY_REQUIRED = process.env['CI'] !== undefined;

export const SAMPLES = readSamples('docs/integrating.md');
const marked = (word: string): Sample[] => SAMPLES.filter(({ mark }) => mark === word);

const NODES = ['Node 24', 'Node 22'] as const;
export type Runtime = '' | (typeof NODES)[number];

export interface RunnableSample extends Sample {
  /** Which Node runs it; '' when none does. */
  readonly runtime: Runtime;
}

export const RUNNABLE: readonly RunnableSample[] = marked('run')
  .filter(canRun)
  .flatMap((sample) => {
    const runtimes: readonly Runtime[] = sample.language === 'ts' ? NODES : [''];
    return runtimes.map((runtime) => ({ ...sample, runtime }));
  });

/** One of each language and Node: the first, which does nothing but a lookup by token. */
export const CLIENTS: readonly RunnableSample[] = Object.values(
  Object.groupBy(
    RUNNABLE.filter(({ code }) => code.includes('TOKEN')),
    ({ language, runtime }) => `${language} ${runtime}`,
  ),
).flatMap((samples = []) => samples.slice(0, 1));

export interface Project {
  readonly folder: string;
  /** Beside the project, so that it stays as its reader's. */
  readonly nodeFolder: string;
  /** Programs; a Node that could not be installed is missing. */
  readonly nodes: Readonly<Partial<Record<Runtime, string>>>;
}

/** Makes the project of the guide, with every file and package that its text names. */
export async function makeGuideProject(): Promise<Project> {
  const project = await installed();
  copyFileSync(CLIENT, join(project.folder, 'attestationsClient.mts'));
  for (const sample of marked('file')) saveSample(sample, project.folder);
  return project;
}

async function installed(): Promise<Project> {
  const nodeFolder = mkdtempSync(join(tmpdir(), 'node-22-'));
  try {
    const folder = await makeProject(marked('install'));
    const node22 = await installNode22(nodeFolder);
    return { folder, nodeFolder, nodes: { 'Node 24': process.execPath, 'Node 22': node22 } };
  } catch (error) {
    if (!(error instanceof NoRegistry) || REGISTRY_REQUIRED) throw error;
    console.warn(`\n*** SAMPLES IN TYPESCRIPT ARE NOT TESTED: ${error.message} ***\n`);
    return { folder: mkdtempSync(join(tmpdir(), 'samples-')), nodeFolder, nodes: {} };
  }
}

/** Compiles the samples in TypeScript as strictly as the repository's own code. */
export function compileSamples({ folder }: Project): Promise<Outcome> {
  const tsconfig = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const compilerOptions = {
    ...tsconfig.compilerOptions,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    skipLibCheck: true,
  };
  const settings = JSON.stringify({ compilerOptions, include: ['*.mts'] });
  writeFileSync(join(folder, 'tsconfig.json'), settings);
  const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
  const words = [join(tsc, '../bin/tsc'), '-p', folder];
  return runProgram(process.execPath, words, { cwd: folder });
}
