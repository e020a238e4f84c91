// The command line of a deployment: `npm run deploy -- --help`.

import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import * as z from 'zod';
import { Failure, runScript, USAGE, usageFailure } from '../cli/terminal/failure.ts';
import { formatTable } from '../cli/terminal/table.ts';
import { readCommit } from '../tools/build.ts';
import { drill } from './drill.ts';
import { ended, FOLDERS, Google, itemsOf, type Outside, Refusal, runProgram } from './google.ts';
import { ensureKey, keyFile } from './keys.ts';
import { type Difference, Plan } from './plan.ts';
import { Release } from './release.ts';
import { readService } from './service.ts';
import {
  completeSettings,
  hasSettings,
  parseProject,
  readSettings,
  type Settings,
} from './settings.ts';
import { readTable, type Template, wordsOf } from './table.ts';
import { back, trial } from './traffic.ts';

interface Options {
  readonly project?: string;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly codeOnly?: boolean;
  readonly keyFile?: string;
  readonly to?: string;
}

/** What a command works with. */
interface Deployment {
  readonly google: Google;
  readonly settings: Settings;
  readonly options: Options;
  readonly release: Release;
}

/** @param mayBegin whether it may ask for the settings of a project that has none */
async function open(outside: Outside, options: Options, mayBegin: boolean): Promise<Deployment> {
  if (options.project === undefined)
    throw usageFailure('Name the project: npm run deploy -- --project ID');
  const project = parseProject(options.project);
  const google = new Google(outside, project);
  const { ask, folders } = outside;
  const settings =
    ask && !options.check && (mayBegin || hasSettings(project, folders.settings))
      ? await completeSettings(project, outside, ask, () => billingAccounts(google))
      : readSettings(project, folders.settings);
  const file = options.keyFile ?? keyFile(folders, project, 'smoke');
  return { google, settings, options, release: new Release(google, settings, file) };
}

/** Those that the person may use. */
async function billingAccounts(google: Google): Promise<string[]> {
  const list = 'billingAccounts';
  const reply = await google.read(`https://cloudbilling.googleapis.com/v1/${list}`, list);
  const account = z.object({ name: z.string(), open: z.boolean().optional() });
  const all = itemsOf(reply?.[list]).map((one) => account.parse(one));
  return all.filter(({ open }) => open).map(({ name }) => name.replace(`${list}/`, ''));
}

/** The table, and what compares and makes it. */
async function readPlan({ google, settings }: Deployment) {
  const { outside, project } = google;
  const image = await prepareImage(outside, project);
  const words = { ...wordsOf(project, settings, outside.folders), ...image };
  return { table: readTable(words), plan: new Plan(google, words) };
}

/**
 * Puts everything that the job's image contains into a folder. The tag is new for each change, and each month, to include the
 * fixes of the base image.
 */
export async function prepareImage(
  { folders, run }: Pick<Outside, 'folders' | 'run'>,
  project: string,
) {
  const folder = mkdtempSync(join(tmpdir(), 'poh-image-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = (from: string, to: string) => cpSync(from, join(folder, to), { recursive: true });
  copy(join(import.meta.dirname, 'image'), '');
  for (const name of ['alerts', 'logging', 'project.yaml', 'dashboard.yaml'])
    copy(join(import.meta.dirname, name), `deploy/${name}`);
  copy(join(folders.settings, `${project}.yaml`), `deploy/settings/${project}.yaml`);
  copy(join(import.meta.dirname, '../docs/runbook.md'), 'docs/runbook.md');
  const { status, errors } = await run('build', [folder, '--jobs']);
  if (status !== 0) throw new Error(errors);
  const hash = createHash('sha256');
  for (const file of globSync('{Dockerfile,**/*.*}', { cwd: folder }).sort())
    hash.update(readFileSync(join(folder, file)));
  const month = new Date().toISOString().slice(0, 7);
  return { imageFolder: folder, imageTag: `${month}-${hash.digest('hex').slice(0, 12)}` };
}

const tableOf = (found: readonly Difference[], none: string): string =>
  found.length === 0
    ? none
    : formatTable(
        ['WHAT', 'DIFFERENCE'],
        found.map(({ what, difference }) => [what, difference]),
        process.stdout.columns,
      ).join('\n');

const CHECK_FAILED = 3;

/** Reads everything, and changes nothing. @returns what differs */
async function check(deployment: Deployment): Promise<Difference[]> {
  const { table, plan } = await readPlan(deployment);
  const found = await plan.differencesOf(Object.values(table).flat());
  if (plan.isNew)
    throw new Failure('Google shows your login no such project. `npm run deploy` makes it.');
  deployment.google.outside.say(await deployment.release.server());
  const [served, commit] = [await deployment.release.servedCommit(), readCommit()];
  const pages = `they are of commit ${served ?? 'unknown'}, and this checkout is ${commit}`;
  const { google, settings } = deployment;
  const { pinned = [] } = (await readService(google, settings.region)) ?? {};
  return [
    ...found,
    ...(served === commit ? [] : [{ what: 'the pages', difference: pages, isLoss: false }]),
    ...pinned.map(({ revision, percent }) => ({
      what: 'the traffic',
      difference: `a roll back or a trial has pinned ${percent} % to ${revision}`,
      isLoss: false,
    })),
  ];
}

/** Makes the project as its settings say, and deploys this checkout to it. */
async function deploy(deployment: Deployment): Promise<void> {
  const { google, release, options } = deployment;
  const { say } = google.outside;
  if (options.codeOnly) {
    await release.confirmTraffic();
    await release.deploy(() => Promise.resolve());
    return await release.smoke();
  }
  const { table, plan } = await readPlan(deployment);
  say(`Reading ${google.project}. Nothing is changed yet.`);
  const found = await plan.differencesOf([...table.before, ...table.after]);
  say(tableOf(found, 'Everything but the code is as the settings say.'));
  for (const { what, difference } of found.filter(({ isLoss }) => isLoss))
    await google.confirm(`This takes something away, in ${what}: ${difference}. Do it?`);
  if (!plan.isNew) {
    await release.confirmLosses();
    await release.confirmTraffic();
  }
  await google.confirm(
    `Change what differs, and deploy commit ${readCommit()} to ${google.project}?`,
  );
  const manual: string[] = [];
  const ensureAll = async (templates: readonly Template[]) => {
    for (const template of templates) manual.push(...(await plan.ensure(template)));
  };
  await ensureAll(table.before);
  await ensureKey(google, 'smoke');
  await release.deploy(() => ensureAll(table.code));
  await ensureAll(table.after);
  await release.smoke();
  say(await release.summary(manual));
}

const terminal = process.stdin.isTTY && process.stderr.isTTY;
const say = (line: string): void => void process.stderr.write(`${line}\n`);
async function ask(question: string): Promise<string> {
  const input = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  input.once('close', () => closed.abort());
  try {
    return await input.question(question, { signal: closed.signal });
  } catch (cause) {
    throw ended(cause);
  } finally {
    input.close();
  }
}
const REAL: Outside = {
  run: runProgram(say),
  fetch,
  sleep: (ms) => setTimeout(ms),
  say,
  folders: FOLDERS,
  ask: terminal ? ask : undefined,
};

/** The program with its options and its help, still without commands. */
const programOf = ({ say: writeErr }: Outside): Command =>
  new Command('npm run deploy --')
    .description(
      'Sets a project on Google Cloud up as deploy/settings/ID.yaml says, and deploys this checkout to it.',
    )
    .option('--project <id>', 'the project (required)')
    .option(
      '--key-file <file>',
      'the API key for smoke (default: the one that this command has stored)',
    )
    .option('--check', 'only report what differs from the settings')
    .option('--json', 'print the report as JSON')
    .option('--code-only', 'deploy only the function, the rules and the pages, as CI does')
    .addHelpText(
      'after',
      '\nExit status: 0 done, 1 stopped or differences, 2 usage or settings, 3 a check that could not read.',
    )
    .configureOutput({ writeErr })
    .showHelpAfterError(
      'Write `npm run deploy -- --project ID`, or see `npm run deploy -- --help`.',
    )
    .exitOverride();

/** Runs one command line. @returns the exit status */
export async function run(
  words: readonly string[],
  outside: Outside,
  print: (text: string) => void,
): Promise<number> {
  let status = 0;
  const program = programOf(outside);
  const onDeployment = (command: Command, body: (deployment: Deployment) => Promise<void>) =>
    command.action(async (_: unknown, self: Command) =>
      body(await open(outside, self.optsWithGlobals<Options>(), self === program)),
    );
  onDeployment(program, async (deployment) => {
    const { google, options } = deployment;
    if (!options.check) return await deploy(deployment);
    const differences = await check(deployment).catch(unreadable);
    status = differences.length > 0 ? 1 : 0;
    const all = `Everything in ${google.project} is as its settings say.`;
    print(options.json ? JSON.stringify({ differences }, null, 2) : tableOf(differences, all));
  });
  onDeployment(
    program
      .command('trial')
      .description('give a new revision of the function 5 % of the traffic, or end such a trial'),
    ({ release }) => trial(release),
  );
  onDeployment(
    program
      .command('back')
      .description('send all traffic back to an earlier revision of the function')
      .option('--to <revision>', 'this one'),
    ({ release, options }) => back(release, options.to),
  );
  onDeployment(
    program.command('drill').description('provoke each alert, and say which mails to expect'),
    ({ google, settings: { region, pagesSite } }) => drill(google, region, `${pagesSite}.web.app`),
  );
  try {
    await program.parseAsync(words, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof Refusal) throw advised(error);
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE;
  }
}

/** A check that could not read everything must not look like one that found nothing, or only differences. */
function unreadable(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const { message } = error instanceof Refusal ? advised(error) : error;
  throw new Failure(message, { exitStatus: CHECK_FAILED, cause: error });
}

/** A refusal of which nothing else says what to do. */
const advised = (cause: Refusal): Failure =>
  new Failure(`${cause.message}\nFix the cause, and run the same command again.`, { cause });

if (import.meta.main) await runScript(() => run(process.argv.slice(2), REAL, console.log));
