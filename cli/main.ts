// The command line for admins: `npm run -s admin -- --help`.

import { assembleProgram, reportFailure, runProgram } from './program.ts';

const fail = (error: unknown): never => process.exit(reportFailure(program, error));
const program = assembleProgram();
// Reports rejected promises inside Google's libraries that no code awaits.
process.on('unhandledRejection', fail);
// Ignored, because the rejected write already reports a closed pipe.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
// Hides warnings of dependencies, such as a missing metadata server, which do not concern an admin.
process.removeAllListeners('warning');
const status = await runProgram(program, process.argv.slice(2));
// Exit now, because a dependency's retries would keep the process alive for minutes.
if (status !== 0) process.exit(status);
