// Ends a process with everything that it started: firebase-tools starts Java in a group of its own, and
// leaves the command that it runs to itself.

import { type ChildProcess, spawnSync } from 'node:child_process';

const PARENT_CHECK_MS = 500;
/** firebase-tools takes a few seconds to stop the emulators. */
const STOP_TIMEOUT_MS = 20_000;

export interface ProcessGroup {
  /** Sends SIGTERM to the group, once; what is still there after 20 seconds is killed. */
  readonly stop: () => void;
  /** Kills what is left of the group, and what had left the group when it was stopped. */
  readonly sweep: () => void;
}

/** @param leader started with `detached` */
export function superviseGroup(leader: ChildProcess): ProcessGroup {
  let started: readonly number[] = [];
  let isStopping = false;
  const sweep = (): void => {
    for (const id of [-(leader.pid ?? 0), ...started]) kill(id, 'SIGKILL');
  };
  return {
    stop: () => {
      // At a second signal firebase-tools ends without stopping its emulators.
      if (isStopping) return;
      isStopping = true;
      started = descendants(leader.pid);
      kill(-(leader.pid ?? 0), 'SIGTERM');
      setTimeout(sweep, STOP_TIMEOUT_MS).unref();
    },
    sweep,
  };
}

/** @param id of a process, or negative of a group; 0 is nobody's */
function kill(id: number, signal: NodeJS.Signals): void {
  if (id === 0) return;
  try {
    process.kill(id, signal);
  } catch {
    // It has ended.
  }
}

/** The processes that a process has started, and those that they have. */
function descendants(pid: number | undefined): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = new Set([pid]);
  // A parent may be listed behind its child.
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [child, parent] of rows) if (found.has(parent)) found.add(child);
  }
  found.delete(pid);
  return [...found].filter((id) => id !== undefined);
}

/** Calls back once this process's parent has ended, with which this process should end too. */
export function endWithParent(stop: () => void): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    stop();
  }, PARENT_CHECK_MS);
  check.unref();
}
