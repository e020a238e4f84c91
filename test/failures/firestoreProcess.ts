// A Firestore emulator of a test's own, which it may freeze, kill and start again.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFirestoreJar, MAIN_CLASS } from '../../sandbox/firestoreJar.ts';
import { freePort } from '../../sandbox/freePort.ts';
import { findJavaFolder } from '../../sandbox/java.ts';

export interface FirestoreProcess {
  /** host:port, for FIRESTORE_EMULATOR_HOST. */
  readonly host: string;
  freeze(): void;
  thaw(): void;
  /** SIGKILL: nothing is finished, all data is lost. */
  kill(): Promise<void>;
  /** Starts it, on the same port each time, and waits until it responds. */
  start(): Promise<void>;
}

export async function createFirestoreProcess(): Promise<FirestoreProcess> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const responds = (): Promise<boolean> =>
    fetch(`http://${host}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  return {
    host,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    kill: async () => {
      if (child === undefined) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      child = undefined;
    },
    start: async () => {
      const java = join(findJavaFolder(), 'java');
      const started = ['-cp', findFirestoreJar() ?? '', MAIN_CLASS, '--host', '127.0.0.1'];
      child = spawn(java, [...started, '--port', `${port}`], { stdio: 'ignore' });
      while (!(await responds())) await pause(50);
    },
  };
}
