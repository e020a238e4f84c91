import { expect, test } from 'vitest';
import { DeadlineError, withinDeadline } from '../../functions/src/timeLimits.ts';

const never = new Promise<never>(() => undefined);

test('settles like the work', async () => {
  await expect(withinDeadline(Promise.resolve(7), 60_000)).resolves.toBe(7);
  await expect(withinDeadline(Promise.reject(new Error('x')), 60_000)).rejects.toThrow('x');
});

test('does not wait for work that never ends', async () => {
  await expect(withinDeadline(never, 1)).rejects.toBeInstanceOf(DeadlineError);
});
