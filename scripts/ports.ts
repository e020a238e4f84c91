// Owns the emulators' ports: which they are, whether they are free, and who holds a taken one.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { SetupError } from './setupError.ts';

export interface NamedPort {
  readonly name: string;
  readonly port: number;
}

/** The emulators that are started, with their ports from firebase.json. */
export function emulatorPorts(): NamedPort[] {
  const { emulators } = JSON.parse(
    readFileSync(new URL('../firebase.json', import.meta.url), 'utf8'),
  );
  return ['auth', 'functions', 'firestore'].map((name) => ({ name, port: emulators[name].port }));
}

/** @throws SetupError that names the first taken port and the process that holds it */
export async function requireFreePorts(ports: readonly NamedPort[]): Promise<void> {
  for (const { name, port } of ports) {
    if (await isFree(port)) continue;
    throw new SetupError(
      `Port ${port}, which the ${name} emulator needs, is taken by ${portHolder(port)}: ` +
        'stop that process and try again.',
    );
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** @returns the holder as "process 123 (command line)", as far as the system tells */
function portHolder(port: number): string {
  const pid = process.platform === 'linux' ? linuxPortHolder(port) : lsofPortHolder(port);
  if (pid === undefined) return 'a process that this user may not see';
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', pid], { encoding: 'utf8' });
  const command = (stdout ?? '').trim();
  return command ? `process ${pid} (${command})` : `process ${pid}`;
}

function lsofPortHolder(port: number): string | undefined {
  const args = ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'];
  const { stdout } = spawnSync('lsof', args, { encoding: 'utf8' });
  return stdout?.split('\n')[0] || undefined;
}

/** Linux always has /proc, but often no lsof. */
function linuxPortHolder(port: number): string | undefined {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((table) => listeningInodes(table, port)));
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .find((pid) => openFiles(pid).some((file) => inodes.has(file)));
}

function listeningInodes(table: string, port: number): string[] {
  const LISTEN = '0A';
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(`/proc/net/${table}`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(wanted) && state === LISTEN)
    .map((columns) => `socket:[${columns[9]}]`);
}

function openFiles(pid: string): string[] {
  const folder = `/proc/${pid}/fd`;
  const files: string[] = [];
  try {
    for (const descriptor of readdirSync(folder))
      files.push(readlinkSync(`${folder}/${descriptor}`));
  } catch {
    // Another user's process, or one that has just ended: it is not the holder that can be named.
  }
  return files;
}
