// Reads the CPU time and memory of a process from Linux's /proc.

import { readdirSync, readFileSync } from 'node:fs';

/** @returns the CPU milliseconds of a process's live threads so far, in user and kernel mode */
export function cpuMs(pid: number | undefined): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    // The first number is in nanoseconds; /proc/PID/stat counts in steps of 10 ms.
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** @returns the peak resident memory of a process so far, in MiB */
export const peakMemoryMiB = (pid: number | undefined): number => statusMiB(pid, 'VmHWM');

/** @returns the resident memory of a process now, in MiB */
export const residentMemoryMiB = (pid: number | undefined): number => statusMiB(pid, 'VmRSS');

function statusMiB(pid: number | undefined, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  return Number(kib) / 1024;
}
