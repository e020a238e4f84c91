// A command that the emulators run around ends with everything that it started.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { superviseGroup } from '../../sandbox/processGroup.ts';

const MODULE = new URL('../../sandbox/processGroup.ts', import.meta.url).href;
const NODE = JSON.stringify(process.execPath);
const STAYS = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)";

/** Starts one child in its own group and one in a group apart, as firebase-tools starts Java. */
const STARTS_TWO = `
  import { spawn } from 'node:child_process';
  const ids = [false, true].map((detached) =>
    spawn(${NODE}, ['-e', ${JSON.stringify(STAYS)}], { detached, stdio: 'ignore' }).pid);
  console.log(ids.join(' '));
  setInterval(() => {}, 1_000);
`;

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Resolves once none of them runs; the test's own time-out fails when one stays. */
const ended = (pids: readonly number[]): Promise<void> =>
  new Promise((resolve) => {
    const check = setInterval(() => {
      if (pids.some(runs)) return;
      clearInterval(check);
      resolve();
    }, 20);
  });

test('a group ends with what left it, and with what ignores the signal', async () => {
  const leader = spawn(process.execPath, ['--input-type=module', '-e', STARTS_TWO], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const group = superviseGroup(leader);
  const [line] = await once(leader.stdout, 'data');
  const started = String(line).trim().split(' ').map(Number);
  expect(started.filter(runs)).toHaveLength(2);
  const exit = once(leader, 'exit');
  group.stop();
  await exit;
  group.sweep();
  await ended(started);
});

test('a process whose parent is killed is notified', async () => {
  const watcher = `
    import { endWithParent } from ${JSON.stringify(MODULE)};
    endWithParent(() => { console.log('orphaned'); process.exit(); });
    console.log('ready');
    setInterval(() => {}, 1_000);
  `;
  const parent = `
    import { spawn } from 'node:child_process';
    spawn(${NODE}, ['--input-type=module', '-e', ${JSON.stringify(watcher)}], { stdio: 'inherit' });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.once('data', () => child.kill('SIGKILL'));
  expect(await text(child.stdout)).toBe('ready\norphaned\n');
});
