// The group `admins`: who may manage API keys in the admin area (specification, 5.3).

import type { Command } from 'commander';
import { isoTime, note, printJson, printTable, utcMinute } from '../frame/output.ts';
import { openTarget, openToChange, type Target } from '../frame/target.ts';
import { type Grant, readAdmins, writeAdmin, writeAdminRevocation } from './records.ts';

const OUTCOMES: Readonly<Record<Grant, string>> = {
  granted: 'is an admin.',
  address: 'is already an admin. The address on the record was updated.',
  nothing: 'is already an admin. Nothing was changed.',
};

export function addAdminsGroup(program: Command): void {
  const admins = program
    .command('admins')
    .description(
      'grant or revoke the right to manage API keys in the admin area, and list the admins',
    );

  admins
    .command('grant')
    .description('let the user of an account manage API keys in the admin area')
    .argument('<email>', "the account's e-mail address")
    .action(async (email: string, _options: object, command: Command) => {
      await using target = await openToChange(command);
      const auth = target.accounts();
      const outcome = await target.change(`Let ${email} create and revoke API keys`, () =>
        writeAdmin(target.db, auth, email),
      );
      note(`${email} ${OUTCOMES[outcome]}`);
    });

  admins
    .command('revoke')
    .description("revoke an admin; the user's next request is refused")
    .argument('<email>', "the account's e-mail address")
    .action(async (email: string, _options: object, command: Command) => {
      await using target = await openToChange(command);
      const auth = target.accounts();
      const changed = await target.change(`Revoke the admin ${email}`, () =>
        writeAdminRevocation(target.db, auth, email),
      );
      note(
        changed > 0
          ? `${email} is no longer an admin. This did not revoke the keys that they created. \`keys list --long\` shows them.`
          : `${email} was already revoked. Nothing was changed.`,
      );
    });

  admins
    .command('list')
    .description('list the admins, including revoked ones')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      await using target = await openTarget(command);
      await list(target, options.json === true);
    });
}

async function list(target: Target, asJson: boolean): Promise<void> {
  const admins = await readAdmins(target.db);
  if (asJson) {
    await printJson(
      admins.map(({ uid, email = null, active, grantedAt }) => ({
        uid,
        email,
        active,
        grantedAt: isoTime(grantedAt),
      })),
    );
  } else if (admins.length === 0) {
    note('There are no admins. Make one with `admins grant EMAIL`.');
  } else {
    await printTable(
      ['EMAIL', 'UID', 'ACTIVE', 'GRANTED (UTC)'],
      admins.map(({ uid, email, active, grantedAt }) => [
        email,
        uid,
        active ? 'yes' : 'no',
        utcMinute(grantedAt),
      ]),
    );
  }
}
