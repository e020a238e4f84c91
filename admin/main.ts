// The admins' command line: `npm run -s admin -- --help`.

import { addAttestationsGroup } from './attestations.ts';
import { addKeysGroup } from './keys.ts';
import { createProgram, runProgram } from './program.ts';
import { addTokensGroup } from './tokens.ts';

const program = createProgram();
addAttestationsGroup(program);
addKeysGroup(program);
addTokensGroup(program);

await runProgram(program, process.argv.slice(2));
