// The group `status`: what platforms are told of the mirror, and the canary with which the hourly job tries a token.

import { randomUUID } from 'node:crypto';
import { FieldValue } from 'firebase-admin/firestore';
import * as z from 'zod';
import { KEY_HEADER } from '../../contract/endpoint.ts';
import { mirrorStateAt, SYNC_HOURS_MAX } from '../../contract/mirrorStatus.ts';
import { lineRule, parseProject } from '../../records/project.ts';
import { COLLECTIONS } from '../../records/storedValues.ts';
import { newTokenRecord, TOKEN_REVOCATION } from '../../records/verificationToken.ts';
import type { Wallet } from '../../records/wallet.ts';
import { readNewestSync } from '../audit/mirror.ts';
import { parseAddress, parseCount, parseServer, readInput } from '../frame/input.ts';
import { isoTime, note, print } from '../frame/output.ts';
import type { AdminCommand, Target } from '../frame/target.ts';
import { endpointOf, GIVE_UP_MS } from '../smoke/checks.ts';
import { Failure, usageFailure } from '../terminal/failure.ts';
import { parseJson } from '../terminal/parseJson.ts';
import { safeJson } from '../terminal/table.ts';
import { type Audit, writeNotice, writeStatus } from './records.ts';

export function addStatusGroup(program: AdminCommand): void {
  const status = program
    .command('status')
    .description('tell platforms the state of the mirror, on the page "Status" of the site');

  status
    .command('notice')
    .description('show all platforms a notice, or remove it')
    .argument('[text]', 'one or two sentences; none to remove the notice', parseNotice)
    .example('status notice "New attestations appear late today."')
    .onTarget(async (target, text: string | undefined) => {
      const what = text === undefined ? 'Remove the notice' : `Show the notice "${text}"`;
      await target.change(what, ({ db }) => writeNotice(db, text));
      note(text === undefined ? 'The notice is removed.' : 'The page shows the notice.');
    });

  status
    .command('update')
    .description('write the state of the mirror, and log it; the hourly job does')
    .option('--audit <file>', 'the summary of the last complete audit', parseAudit)
    .option(
      '--max-sync-hours <count>',
      'the mirror has stopped after this',
      parseHours,
      SYNC_HOURS_MAX,
    )
    .example('status update --audit summary.json')
    .onTarget(updateStatus);

  status
    .command('canary')
    .description(
      'make a token for a verified wallet, look it up, revoke it and look it up again; CANARY_KEY is the API key',
    )
    .requiredOption('--url <base>', 'the address of the site or function (required)', parseServer)
    .requiredOption('--wallet <address>', 'a verified wallet (required)', parseAddress)
    .example('status canary --url https://SITE --wallet ADDRESS')
    .onTarget(tryToken);
}

/** -1 is for the drill of the alerts. */
const parseHours = (text: string): number => (text === '-1' ? -1 : parseCount(text));

const NOTICE_MAX_CHARACTERS = 300;

function parseNotice(text: string): string {
  const notice = parseProject(text, NOTICE_MAX_CHARACTERS);
  if (notice !== undefined) return notice;
  throw usageFailure(lineRule('Write the notice', NOTICE_MAX_CHARACTERS));
}

const auditSchema = z.object({
  complete: z.literal(true),
  auditedAt: z.iso.datetime(),
  found: z.int().nonnegative(),
});

/** @throws Failure (exit status 2) unless the file has the summary of a complete audit */
function parseAudit(file: string): Audit {
  const parsed = auditSchema.safeParse(parseJson(readInput(file)));
  if (!parsed.success) throw usageFailure(`${file} is not the summary of a complete audit.`);
  return { auditedAt: new Date(parsed.data.auditedAt), findings: parsed.data.found };
}

async function updateStatus(
  target: Target,
  { audit, maxSyncHours }: { audit?: Audit; maxSyncHours: number },
): Promise<void> {
  const syncedMs = await readNewestSync(target.db, target.nowMs());
  const before = await target.change('Write the state of the mirror', ({ db }) =>
    writeStatus(db, syncedMs, audit),
  );
  const state = mirrorStateAt(syncedMs, target.nowMs(), maxSyncHours);
  const isNews = audit !== undefined && audit.findings > 0 && audit.findings !== before;
  const line = {
    message: 'mirror',
    newestSyncedAt: isoTime(syncedMs),
    auditedAt: audit?.auditedAt ?? null,
    findings: audit?.findings ?? null,
  };
  // A line for each reason, because an alert reports each separately.
  if (state !== 'ok') await print(`${safeJson({ severity: 'ERROR', state, ...line })}\n`);
  if (isNews) await print(`${safeJson({ severity: 'WARNING', state: 'findings', ...line })}\n`);
  if (state === 'ok' && !isNews) await print(`${safeJson({ severity: 'INFO', state, ...line })}\n`);
}

/** @throws Failure when the token gets another response than it should, before or after it is revoked */
async function tryToken(
  target: Target,
  { url, wallet }: { url: URL; wallet: Wallet },
): Promise<void> {
  const key = process.env['CANARY_KEY'];
  if (!key) throw usageFailure('Set CANARY_KEY to an API key that may look up tokens.');
  const token = randomUUID();
  const look = async (): Promise<unknown> => {
    const response = await fetch(`${endpointOf(url)}?token=${token}`, {
      headers: { [KEY_HEADER]: key },
      redirect: 'manual',
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    const body = parseJson(await response.text());
    const { hasVerifiedHuman, code } = Object(body);
    return hasVerifiedHuman ?? code ?? response.status;
  };
  await target.change('Make and revoke a token of the canary', async ({ db }) => {
    const record = db.collection(COLLECTIONS.verificationTokens).doc(token);
    await record.create(newTokenRecord(wallet, 'canary', FieldValue.serverTimestamp()));
    const made = await look().finally(() => record.update(TOKEN_REVOCATION));
    const revoked = await look();
    if (made === true && revoked === 'token_not_found') return;
    throw new Failure(`The canary got ${made} for its token, and ${revoked} once it was revoked.`);
  });
  note('The token of the canary was answered as verified, and no longer once it was revoked.');
}
