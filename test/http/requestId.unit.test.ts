import { describe, expect, test } from 'vitest';
import { requestIdOf } from '../../functions/src/server/requestId.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('requestIdOf', () => {
  test.each([
    [{ 'x-cloud-trace-context': `${TRACE}/123;o=1` }],
    [{ 'x-cloud-trace-context': TRACE }],
    [{ traceparent: `00-${TRACE}-b7ad6b7169203331-01` }],
    [{ 'x-cloud-trace-context': 'bad', traceparent: `00-${TRACE}-b7ad6b7169203331-01` }],
  ])("takes the platform's trace id from %j", (headers) => {
    expect(requestIdOf(headers)).toBe(TRACE);
  });

  test.each([
    [{}],
    [{ 'x-cloud-trace-context': 'anything a client likes' }],
    [{ 'x-cloud-trace-context': `${TRACE}0/1` }],
    [{ 'x-cloud-trace-context': `${TRACE.toUpperCase()}/1` }],
    [{ traceparent: TRACE }],
  ])('creates a new UUID for %j', (headers) => {
    expect(requestIdOf(headers)).toMatch(UUID);
    expect(requestIdOf(headers)).not.toBe(requestIdOf(headers));
  });
});
