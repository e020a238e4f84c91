// Ctrl-C between two changes: the one that is being made is finished, and then the repair ends.

/** npm passes a terminal's Ctrl-C on, so that one press arrives as two signals. */
const ONE_PRESS_MS = 1_000;

/** The exit status of a process that Ctrl-C has ended, as a shell reports it. */
export const INTERRUPTED = 130;

/** While it is open, SIGINT and SIGTERM do not end the process; a second press does. */
export interface Interrupt extends Disposable {
  readonly requested: () => boolean;
}

export function holdInterrupt(note: (text: string) => void): Interrupt {
  let requestedAt: number | undefined;
  const onSignal = (): void => {
    if (requestedAt === undefined) {
      requestedAt = performance.now();
      note('Stopping after the change that is being made. Ctrl-C again stops at once.');
    } else if (performance.now() - requestedAt > ONE_PRESS_MS) process.exit(INTERRUPTED);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    requested: () => requestedAt !== undefined,
    [Symbol.dispose]: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
