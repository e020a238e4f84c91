// The admins' command line: `npm run -s admin -- --help`.

import { addKeysGroup } from './keys.ts';
import { createProgram, runProgram } from './program.ts';

const program = createProgram();
addKeysGroup(program);

await runProgram(program, process.argv.slice(2));
