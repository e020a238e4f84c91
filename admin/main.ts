// The admins' command line: `npm run -s admin -- --help`.

import { addKeysGroup } from './keys.ts';
import { createProgram, runProgram } from './program.ts';
import { addTokensGroup } from './tokens.ts';

const program = createProgram();
addKeysGroup(program);
addTokensGroup(program);

await runProgram(program, process.argv.slice(2));
