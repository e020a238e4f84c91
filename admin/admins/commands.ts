// The group `admins`: who may manage API keys in the admin area (specification, 5.3).

import type { Command } from 'commander';
import { isoTime, minuteOf, note, printJson, printTable } from '../frame/output.ts';
import { openTarget, openToChange } from '../frame/target.ts';
import { readAdmins, writeAdmin, writeAdminRevocation } from './records.ts';

const EMAIL = ['<email>', "the account's e-mail address"] as const;

export function addAdminsGroup(program: Command): void {
  const admins = program
    .command('admins')
    .description(
      'grant or revoke the right to manage API keys in the admin area, and list the admins',
    );

  admins
    .command('grant')
    .description('let the user of an account manage API keys in the admin area')
    .argument(...EMAIL)
    .action(async (email: string, _options: object, command: Command) => {
      await using target = await openToChange(command);
      const auth = target.accounts();
      const wasAdmin = await target.change(`Let ${email} create and revoke API keys`, () =>
        writeAdmin(target.db, auth, email),
      );
      note(`${email} ${wasAdmin ? 'was already' : 'is'} an admin.`);
    });

  admins
    .command('revoke')
    .description("revoke an admin; the user's next request is refused")
    .argument(...EMAIL)
    .action(async (email: string, _options: object, command: Command) => {
      await using target = await openToChange(command);
      const auth = target.accounts();
      const changed = await target.change(`Revoke the admin ${email}`, () =>
        writeAdminRevocation(target.db, auth, email),
      );
      note(
        changed > 0
          ? `${email} is no longer an admin. This did not revoke the keys that they created. \`keys list --json\` shows them by uid.`
          : `${email} was already revoked. Nothing was changed.`,
      );
    });

  admins
    .command('list')
    .description('list the admins, including revoked ones')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      await using target = await openTarget(command);
      const rows = (await readAdmins(target.db)).map(
        ({ uid, email = null, active, grantedAt }) => ({
          uid,
          email,
          active,
          grantedAt: isoTime(grantedAt),
        }),
      );
      if (json) await printJson(rows);
      else if (rows.length === 0)
        note('There are no admins. Create one with `admins grant EMAIL`.');
      else {
        await printTable(
          ['EMAIL', 'UID', 'ACTIVE', 'GRANTED (UTC)'],
          rows.map(({ uid, email, active, grantedAt }) => [
            email,
            uid,
            active ? 'yes' : 'no',
            minuteOf(grantedAt),
          ]),
        );
      }
    });
}
