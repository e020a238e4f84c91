// Assembles the command line from its groups of commands.

import type { Command } from 'commander';
import { addAdminsGroup } from './admins/commands.ts';
import { addAuditCommand } from './audit/commands.ts';
import { createProgram } from './frame/program.ts';
import { addKeysGroup } from './keys/commands.ts';
import { addRepairCommands } from './repair/commands.ts';
import { addResponsesGroup } from './signing/responses.ts';
import { addSigningKeysGroup } from './signing/signingKeys.ts';
import { addSmokeCommand } from './smoke/commands.ts';
import { addTokensGroup } from './tokens/commands.ts';
import { addUsersGroup } from './users/commands.ts';

const GROUPS = [
  addAdminsGroup,
  addAttestationsGroup,
  addKeysGroup,
  addResponsesGroup,
  addSigningKeysGroup,
  addSmokeCommand,
  addTokensGroup,
  addUsersGroup,
];

function addAttestationsGroup(program: Command): void {
  const attestations = program
    .command('attestations')
    .description('check the mirrored attestations against the chain, and repair them');
  addAuditCommand(attestations);
  addRepairCommands(attestations);
}

export function assembleProgram(): Command {
  const program = createProgram();
  for (const addGroup of GROUPS) addGroup(program);
  return program;
}
