// The admins' command line: `npm run -s admin -- --help`.

import { assembleProgram } from './commands.ts';
import { runProgram } from './program.ts';

await runProgram(assembleProgram(), process.argv.slice(2));
