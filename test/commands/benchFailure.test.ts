// Tests that a failed benchmark names the server's log file and leaves no process running.

import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '../../admin/terminal/failure.ts';
import { serve, withContestants } from '../../tools/bench/contestants.ts';
import { timeCalls } from '../../tools/sandbox/httpCall.ts';
import type { ServedFunction } from '../../tools/sandbox/servedFunction.ts';
import { requestEntries } from '../support/log.ts';

test('a failed measurement names the log and stops the server', async () => {
  const servers: ServedFunction[] = [];
  const failure = await withContestants(async () => {
    const served = await serve('service');
    servers.push(served);
    return await timeCalls({ url: `${served.url}?wallet=x`, key: 'unknown' }, 1);
  }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  const { message } = failure as Failure;
  expect(message).toContain('status 401');
  const [, log = ''] = /Log of the server: (\S+)/.exec(message) ?? [];
  expect(requestEntries(readFileSync(log, 'utf8'))).toMatchObject([{ code: 'unauthorized' }]);
  rmSync(dirname(log), { recursive: true });
  const [served] = servers;
  expect(() => process.kill(served?.process.pid ?? 0, 0)).toThrow('ESRCH');
});
