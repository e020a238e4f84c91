// The group `admins`: who may manage API keys in the admin area (specification, 5.3).

import { isoTime, minuteOf, note, printJson, printTable } from '../frame/output.ts';
import type { AdminCommand, Target } from '../frame/target.ts';
import {
  ACCOUNT,
  describeAccount,
  nameOf,
  originOf,
  readAccount,
  readAccounts,
} from '../frame/userAccounts.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { escapeForTerminal } from '../terminal/table.ts';
import { readAdmins, writeAdmin, writeAdminRevocations } from './records.ts';

interface GrantFlags {
  readonly unverified?: boolean;
  /** A provider's id, or `any`. */
  readonly signIn?: string;
}

/** The id of a provider in Firebase Authentication, as in an ID token. */
function parseSignIn(text: string): string {
  if (/^[a-z][\w.-]*$/i.test(text)) return text;
  throw usageFailure('A provider is written like google.com, password or saml.acme.');
}

export function addAdminsGroup(program: AdminCommand): void {
  const admins = program
    .command('admins')
    .description(
      'grant or revoke the right to manage API keys in the admin area, and list the admins',
    );

  admins
    .command('grant')
    .description('let the user of an account manage API keys in the admin area')
    .argument(...ACCOUNT)
    .option('--unverified', 'allow an unverified address whose account has signed in before')
    .option(
      '--sign-in <provider>',
      'only sign-ins by it count, such as google.com; or any',
      parseSignIn,
    )
    .example('admins grant ops@example.com --sign-in google.com')
    .onTarget(grant);

  admins
    .command('revoke')
    .description("revoke an admin; the user's next request is refused")
    .argument(...ACCOUNT)
    .example('admins revoke ops@example.com')
    .onTarget(revoke);

  admins
    .command('list')
    .description('list the admins, including revoked ones')
    .option('--json', 'print JSON')
    .example('admins list --json')
    .onTarget(list);
}

async function grant(target: Target, named: string, flags: GrantFlags): Promise<void> {
  const account = await readAccount(target.auth, named);
  const name = nameOf(account);
  if (account.disabled) {
    throw new Failure(`The account ${name} is disabled. Enable it first, then grant again.`);
  }
  const { lastSignInAt } = originOf(account);
  // Somebody else may have signed up with this address before the person did.
  if (!account.emailVerified && lastSignInAt && !flags.unverified) {
    throw new Failure(
      `The address ${name} is not verified, and somebody has signed in to its account, last on ${minuteOf(lastSignInAt)} UTC. ` +
        'Have the person reset their password, which also verifies the address. ' +
        'Or add --unverified if you know that the account is theirs.',
    );
  }
  const signIn = flags.signIn === 'any' ? null : flags.signIn;
  const wasAdmin = await target.change(
    `Let ${describeAccount(account)} manage API keys${signIn ? `, signed in by ${signIn} only` : ''}`,
    ({ db }) => writeAdmin(db, account, signIn),
  );
  if (signIn !== undefined) {
    note(
      `${name} has the rights ${signIn ? `only after a sign-in by ${signIn}` : 'after any sign-in'}.`,
    );
  }
  note(
    wasAdmin
      ? `${name} was already an admin.`
      : `${name} is an admin from their next sign-in on. If they are signed in now, they must sign in again.`,
  );
}

async function revoke(target: Target, named: string): Promise<void> {
  const name = escapeForTerminal(named);
  // The account may have been deleted, or may have a new address.
  const uids = (await readAccounts(target.auth, named)).map(({ uid }) => uid);
  const found = (await readAdmins(target.db)).filter(
    (admin) =>
      [...uids, named].includes(admin.uid) || admin.email?.toLowerCase() === named.toLowerCase(),
  );
  if (found.length === 0) {
    throw new Failure(`No admin has the address or uid ${name}. \`admins list\` shows all admins.`);
  }
  const active = found.filter((admin) => admin.active).map(({ uid }) => uid);
  if (active.length === 0) return note(`${name} was already revoked. Nothing was changed.`);
  await target.change(`Revoke the admin ${name}`, ({ db }) => writeAdminRevocations(db, active));
  note(
    `${name} is no longer an admin. This did not revoke the keys that they created. ` +
      '`keys list --json` shows them by uid.',
  );
}

async function list({ db }: Target, { json }: { json?: boolean }): Promise<void> {
  const rows = (await readAdmins(db)).map(({ grantedAt, ...admin }) => ({
    ...admin,
    grantedAt: isoTime(grantedAt),
  }));
  if (json) return await printJson(rows);
  if (rows.length === 0) return note('There are no admins. Create one with `admins grant`.');
  await printTable(rows, {
    UID: ({ uid }) => uid,
    // An address is no uid.
    ACTIVE: ({ active, uid }) => (active && !uid.includes('@') ? 'yes' : 'no'),
    'SIGN-IN': ({ signIn }) => signIn ?? 'any',
    'GRANTED (UTC)': ({ grantedAt }) => minuteOf(grantedAt),
    EMAIL: ({ email }) => email,
  });
}
