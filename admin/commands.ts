// The whole command line: every group of commands in one program.

import type { Command } from 'commander';
import { addAttestationsGroup } from './attestations.ts';
import { addKeysGroup } from './keys.ts';
import { createProgram } from './program.ts';
import { addTokensGroup } from './tokens.ts';

const GROUPS = [addAttestationsGroup, addKeysGroup, addTokensGroup];

export function assembleProgram(): Command {
  const program = createProgram();
  for (const addGroup of GROUPS) addGroup(program);
  return program;
}
