// The command line of a deployment: `npm run deploy -- --help`.

import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { Failure, runScript, USAGE, usageFailure } from '../cli/terminal/failure.ts';
import { formatTable } from '../cli/terminal/table.ts';
import { MODES, type Mode } from '../contract/endpoint.ts';
import { readCommit } from '../tools/build.ts';
import { differencesOf } from './check.ts';
import { drill } from './drill.ts';
import { FOLDERS, Google, type Outside, runProgram } from './google.ts';
import { ensureKey, keyFile } from './keys.ts';
import { type Difference, Plan } from './plan.ts';
import { confirm, Release } from './release.ts';
import { completeSettings, parseProject, readSettings, type Settings } from './settings.ts';
import { type Entry, readTable } from './state.ts';
import { prepareImage, wordsOf } from './words.ts';

interface Options {
  readonly project?: string;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly codeOnly?: boolean;
  readonly keyFile?: string;
  readonly to?: string;
}

/** What a subcommand works with. */
export interface Deployment {
  readonly google: Google;
  readonly settings: Settings;
  readonly options: Options;
  readonly release: Release;
  readonly smokeKey: string;
  /** Prints a result. */
  readonly print: (text: string) => void;
}

async function open(
  outside: Outside,
  options: Options,
  print: Deployment['print'],
): Promise<Deployment> {
  if (options.project === undefined) throw usageFailure('Name the project with --project ID.');
  const google = new Google(outside, parseProject(options.project));
  const { project } = google;
  const { ask } = outside;
  const settings =
    ask && !options.check
      ? await completeSettings(project, outside.folders.settings, ask, () =>
          google.billingAccounts(),
        )
      : readSettings(project, outside.folders.settings);
  const smokeKey = options.keyFile ?? keyFile(outside.folders, project, 'smoke');
  return { google, settings, options, release: new Release(google, settings), smokeKey, print };
}

const CHECK_FAILED = 3;

/** Reads everything, and changes nothing. @returns the exit status */
async function check({ google, settings, options, release, print }: Deployment): Promise<number> {
  const words = {
    ...wordsOf(google.project, settings, google.outside.folders),
    ...(await prepareImage(google.outside, google.project)),
  };
  const table = readTable(words);
  const found = await differencesOf(new Plan(google, words), [
    ...table.before,
    ...table.release,
    ...table.after,
  ]);
  const [served, commit] = [await release.servedCommit(), readCommit()];
  if (served !== commit)
    found.push({
      what: 'the pages',
      difference: `they are of commit ${served ?? 'unknown'}, and this checkout is ${commit}`,
      isLoss: false,
    });
  if (options.json) print(JSON.stringify({ project: google.project, differences: found }, null, 2));
  else print(tableOf(found, `Everything in ${google.project} is as its settings say.`));
  return found.length > 0 ? 1 : 0;
}

const tableOf = (found: readonly Difference[], none: string): string =>
  found.length === 0
    ? none
    : formatTable(
        ['WHAT', 'DIFFERENCE'],
        found.map(({ what, difference }) => [what, difference]),
        process.stdout.columns,
      ).join('\n');

/** Makes the project as its settings say, and deploys this checkout to it. */
async function deploy(deployment: Deployment): Promise<number> {
  const { google, settings, options, release, smokeKey } = deployment;
  const { outside, project } = google;
  if (options.codeOnly) {
    await release.deploy(() => Promise.resolve());
    await release.smoke(smokeKey);
    return 0;
  }
  const words = {
    ...wordsOf(google.project, settings, google.outside.folders),
    ...(await prepareImage(google.outside, google.project)),
  };
  const plan = new Plan(google, words);
  const { before, release: kept, after } = readTable(words);
  outside.say(`Reading ${project}. Nothing is changed yet.`);
  const found = await differencesOf(plan, [...before, ...after]);
  outside.say(tableOf(found, 'Everything but the code is as the settings say.'));
  for (const { what, difference } of found.filter(({ isLoss }) => isLoss))
    await confirm(google, `This takes something away, in ${what}: ${difference}. Do it?`);
  await release.confirmLosses();
  const question = `Change ${found.length} things, and deploy commit ${readCommit()} to ${project}?`;
  if (!options.yes) await confirm(google, question);

  // Google does not tell the key of a check or of the job. So without the file, a new key is made only if it must be written.
  const learnKey = async (use: 'uptime' | 'canary') => {
    const id = `${use.toUpperCase()}_KEY_ID`;
    if (words[id] === undefined && !found.some(({ what }) => what.includes(use))) return;
    const made = await ensureKey(google, use, use === 'uptime' ? uptimeModes : ['token']);
    plan.learn({ [id]: made.id, ...(use === 'uptime' && { UPTIME_KEY: made.key }) });
  };
  const uptimeModes: readonly Mode[] = settings.canary.email ? ['wallet', 'email'] : ['wallet'];
  const manual: string[] = [];
  const ensureAll = async (entries: readonly Entry[]) => {
    for (const entry of entries) {
      if (!plan.isNeeded(entry)) continue;
      if (entry.key !== undefined) await learnKey(entry.key);
      if (entry.manual === undefined) await plan.ensure(entry);
      else if (!(await plan.read(entry, true)).found) manual.push(entry.manual);
    }
  };
  await ensureAll(before);
  await ensureKey(google, 'smoke', MODES);
  await release.deploy(() => ensureAll(kept.filter(({ update }) => update !== undefined)));
  await ensureAll(after);
  await release.smoke(smokeKey);
  outside.say(await release.summary(smokeKey, manual));
  return 0;
}

const terminal = process.stdin.isTTY && process.stderr.isTTY;
const say = (line: string): void => void process.stderr.write(`${line}\n`);
async function ask(question: string): Promise<string> {
  const input = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  input.once('close', () => ended.abort());
  try {
    return await input.question(question, { signal: ended.signal });
  } catch (cause) {
    throw new Failure('Stopped, as you wish. Run the same command again to go on.', { cause });
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

/** Runs one command line. @returns the exit status */
export async function run(
  words: readonly string[],
  outside: Outside,
  print: (text: string) => void,
): Promise<number> {
  let status = 0;
  const program = new Command('npm run deploy --')
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
    .option('--yes', 'change without a question, unless something is taken away')
    .option('--code-only', 'deploy only the function, the rules and the pages, as CI does')
    .addHelpText(
      'after',
      '\nExit status: 0 done, 1 stopped or differences, 2 usage or settings, 3 a check that could not read.',
    )
    .configureOutput({ writeErr: outside.say })
    .exitOverride();
  const command = (at: Command, body: (deployment: Deployment) => Promise<number>) =>
    at.action(async (_: unknown, self: Command) => {
      const deployment = await open(outside, self.optsWithGlobals<Options>(), print);
      status = await body(deployment);
    });
  command(program, (one) => (one.options.check ? check(one).catch(unreadable) : deploy(one)));
  command(
    program
      .command('trial')
      .description('give a new revision of the function 5 % of the traffic, or end such a trial'),
    ({ release, smokeKey }) => release.trial(smokeKey).then(() => 0),
  );
  command(
    program
      .command('back')
      .description('send all traffic back to an earlier revision of the function')
      .option('--to <revision>', 'this one'),
    ({ release, smokeKey, options }) => release.back(smokeKey, options.to).then(() => 0),
  );
  command(
    program.command('drill').description('provoke each alert, and say which mails to expect'),
    async ({ google, settings: { region, sites } }) => {
      const place = { project: google.project, region, site: `${sites.pages}.web.app` };
      const { say, sleep } = google.outside;
      await drill(place, { run: (name, line) => google.run(name, line), say, sleep });
      return 0;
    },
  );
  try {
    await program.parseAsync(words, { from: 'user' });
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE;
  }
}

/** A check that could not read everything must not look like one that found nothing, or only differences. */
function unreadable(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  throw new Failure(error.message, { exitStatus: CHECK_FAILED, cause: error });
}

if (import.meta.main) await runScript(() => run(process.argv.slice(2), REAL, console.log));
