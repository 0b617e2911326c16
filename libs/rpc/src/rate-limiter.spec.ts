import { describe, expect, it } from '@jest/globals';
import { type AppError } from '@daycare/errors';
import type { Caller } from './call-context';
import { createRateLimiter } from './rate-limiter';

const ada: Caller = { kind: 'user', userId: 'ada' };
const bob: Caller = { kind: 'user', userId: 'bob' };

function setUp() {
  let at = 0;
  const limit = createRateLimiter({ perSecond: 10, burst: 3 }, () => at);
  const refusal = (caller: Caller, peer = '10.0.0.1:1'): AppError | undefined => {
    try {
      limit(caller, peer);
      return undefined;
    } catch (error) {
      return error as AppError;
    }
  };
  return { refusal, pass: (ms: number) => (at += ms) };
}

describe('the rate limiter', () => {
  it('lets a burst through, then says how long to wait, to the millisecond', () => {
    const { refusal, pass } = setUp();
    expect([refusal(ada), refusal(ada), refusal(ada)]).toEqual([undefined, undefined, undefined]);
    expect(refusal(ada)).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs: 100 } });
    pass(99);
    expect(refusal(ada)?.details.retryAfterMs).toBeCloseTo(1);
    pass(1);
    expect(refusal(ada)).toBeUndefined();
  });

  it('counts each user alone', () => {
    const { refusal } = setUp();
    for (let call = 0; call < 4; call += 1) refusal(ada);
    expect(refusal(ada)).toBeDefined();
    expect(refusal(bob)).toBeUndefined();
  });

  it('counts a user and its agents together', () => {
    const { refusal } = setUp();
    for (let call = 0; call < 3; call += 1) refusal({ ...ada, agentId: `agent${call}` });
    expect(refusal(ada)).toBeDefined();
  });

  it('counts callers without a name by their address, whatever the port', () => {
    const { refusal } = setUp();
    const nobody: Caller = { kind: 'anonymous' };
    for (let port = 1; port <= 3; port += 1) refusal(nobody, `10.0.0.1:${port}`);
    expect(refusal(nobody, '10.0.0.1:99')).toBeDefined();
    expect(refusal(nobody, '10.0.0.2:99')).toBeUndefined();
  });

  it('does not limit services and operators', () => {
    const { refusal } = setUp();
    const callers: Caller[] = [
      { kind: 'admin', proof: 'token' },
      { kind: 'service', service: 'topology', proof: 'token' },
    ];
    for (let call = 0; call < 100; call += 1) {
      expect(callers.map((caller) => refusal(caller))).toEqual([undefined, undefined]);
    }
  });
});
