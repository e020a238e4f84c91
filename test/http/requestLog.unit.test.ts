import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GoogleError } from '../../functions/src/google/googleError.ts';
import { describeCause } from '../../functions/src/lookup/requestLog.ts';

test('a cause is described by its name, code and our own stack frames', () => {
  const error = Object.assign(new TypeError('unable to parse w.x'), { code: 'ERR_INVALID' });
  const frames = [
    'at readKey (/workspace/index.cjs:12:345)',
    'at other (/workspace/node_modules/other/index.cjs:1:2)',
    'at node:http:1:2',
  ];
  error.stack = [`TypeError: ${error.message}`, ...frames].join('\n    ');
  expect(describeCause(error)).toStrictEqual({
    name: 'TypeError',
    code: 'ERR_INVALID',
    stack: ['readKey (index.cjs:12:345)'],
  });
});

test('a failed call to Google is described by its message, the codes of the response and the cause', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1'), { code: 'ECONNREFUSED' });
  const details = { httpStatus: 503, status: 'UNAVAILABLE' };
  const error = new GoogleError('Firestore did not respond in time', details, cause);
  expect(describeCause(error)).toMatchObject({
    name: 'GoogleError',
    message: 'Firestore did not respond in time',
    ...details,
    cause: { name: 'Error', code: 'ECONNREFUSED' },
  });
});

test('a description contains no value of the request, in whatever form a dependency repeats it', () => {
  // Any text, or text that could be the name of a function.
  const name = fc.stringMatching(/^[\w$.<> ]{6,20}$/);
  const secret = fc.oneof(fc.string({ unit: 'binary', minLength: 6 }), name);
  const form = fc.constantFrom<(value: string) => string>(
    (value) => value,
    (value) => Buffer.from(value).toString('hex'),
    (value) => Buffer.from(value).toString('base64'),
    (value) => JSON.stringify(value),
    (value) => `x\n    at ${value} (/workspace/index.cjs:1:2)`,
    (value) => `x\n    at /${value}/index.cjs:1:2`,
  );
  fc.assert(
    fc.property(secret, form, (value, write) => {
      const repeated = `1 ${write(value)}`;
      const error = Object.assign(new Error(repeated), { name: repeated, code: repeated });
      expect(describeCause(error)).toMatchObject({ name: 'Error' });
      const { message, stack } = describeCause(error) as { message: unknown; stack: string[] };
      expect(message).toBeUndefined();
      for (const frame of stack) expect(frame).toMatch(/requestLog|anonymous/);
    }),
  );
});

test('any thrown value can be described', () => {
  expect(describeCause('text')).toStrictEqual({ name: 'string', stack: [] });
  expect(describeCause(undefined)).toStrictEqual({ name: 'undefined', stack: [] });
  const circular = new Error('x');
  circular.cause = circular;
  expect(() => describeCause(circular)).not.toThrow();
});
