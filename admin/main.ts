// The admins' command line: `npm run -s admin -- --help`.

import { reportFailure, runProgram } from './frame/program.ts';
import { assembleProgram } from './groups.ts';

const fail = (error: unknown): never => process.exit(reportFailure(program, error));
const program = assembleProgram();
// Google's libraries reject promises that nobody awaits.
process.on('unhandledRejection', fail);
// A closed pipe rejects the write itself.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
// Warnings of a dependency, such as one about a missing metadata server, do not concern an admin.
process.removeAllListeners('warning');
const status = await runProgram(program, process.argv.slice(2));
// A dependency's retries would keep the process alive for minutes.
if (status !== 0) process.exit(status);
