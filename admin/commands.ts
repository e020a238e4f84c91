// The whole command line: every group of commands in one program.

import type { Command } from 'commander';
import { addAdminsGroup } from './admins.ts';
import { addAnswersGroup } from './answers.ts';
import { addAttestationsGroup } from './attestations.ts';
import { addKeysGroup } from './keys.ts';
import { createProgram } from './program.ts';
import { addSigningKeysGroup } from './signingKeys.ts';
import { addSmokeCommand } from './smoke.ts';
import { addTokensGroup } from './tokens.ts';

const GROUPS = [
  addAdminsGroup,
  addAnswersGroup,
  addAttestationsGroup,
  addKeysGroup,
  addSigningKeysGroup,
  addSmokeCommand,
  addTokensGroup,
];

export function assembleProgram(): Command {
  const program = createProgram();
  for (const addGroup of GROUPS) addGroup(program);
  return program;
}
