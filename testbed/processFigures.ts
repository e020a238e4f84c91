// Reads what a process has used from Linux's /proc.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const CLOCK_TICKS_PER_SECOND = 100;

/** @returns CPU milliseconds that a process has used so far, its own and the kernel's for it */
export function cpuMs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [user, system] = [fields[11], fields[12]].map(Number);
  return (((user ?? 0) + (system ?? 0)) * 1_000) / CLOCK_TICKS_PER_SECOND;
}

/** @returns the peak resident memory of a process so far, in MiB */
export const peakMemoryMiB = (pid: number | undefined): number => statusMiB(pid, 'VmHWM');

/** @returns the resident memory of a process now, in MiB */
export const residentMemoryMiB = (pid: number | undefined): number => statusMiB(pid, 'VmRSS');

/** @returns how many sockets a process has open */
export const openSockets = (pid: number | undefined): number =>
  readdirSync(`/proc/${pid}/fd`).filter((descriptor) =>
    readlinkSync(`/proc/${pid}/fd/${descriptor}`).startsWith('socket:'),
  ).length;

function statusMiB(pid: number | undefined, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  return Number(kib) / 1024;
}
