import { describe, expect, it } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import { type AppError } from '@daycare/api';
import type { Caller } from '../../shared/call-context';
import { createRateLimiter } from './rate-limiter';

const ada: Caller = { kind: 'user', userId: 'ada' };
const bob: Caller = { kind: 'user', userId: 'bob' };

function setUp() {
  let at = 0;
  const limit = createRateLimiter({ perSecond: 10, burst: 3 }, undefined, () => at);
  const refusal = (
    caller: Caller,
    peer = '10.0.0.1:1',
    sessionId?: string,
  ): AppError | undefined => {
    try {
      limit(caller, { getPeer: () => peer, metadata: new Metadata() }, sessionId);
      return undefined;
    } catch (error) {
      return error as AppError;
    }
  };
  return { refusal, advance: (ms: number) => (at += ms) };
}

describe('createRateLimiter', () => {
  it('allows a burst, then reports to the millisecond how long to wait', () => {
    const { refusal, advance } = setUp();
    expect([refusal(ada), refusal(ada), refusal(ada)]).toEqual([undefined, undefined, undefined]);
    expect(refusal(ada)).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs: 100 } });
    advance(99);
    expect(refusal(ada)?.details.retryAfterMs).toBeCloseTo(1);
    advance(1);
    expect(refusal(ada)).toBeUndefined();
  });

  it('counts each user separately', () => {
    const { refusal } = setUp();
    for (let call = 0; call < 4; call += 1) refusal(ada);
    expect(refusal(ada)).toBeDefined();
    expect(refusal(bob)).toBeUndefined();
  });

  it("counts a user and the user's agents together", () => {
    const { refusal } = setUp();
    for (let call = 0; call < 3; call += 1) refusal({ ...ada, agentId: `agent${call}` });
    expect(refusal(ada)).toBeDefined();
  });

  it('counts anonymous callers by address, whatever their port', () => {
    const { refusal } = setUp();
    const anonymous: Caller = { kind: 'anonymous' };
    for (let port = 1; port <= 3; port += 1) refusal(anonymous, `10.0.0.1:${port}`);
    expect(refusal(anonymous, '10.0.0.1:99')).toBeDefined();
    expect(refusal(anonymous, '10.0.0.2:99')).toBeUndefined();
  });

  it('counts calls per session if they name one, unaffected by a flood of other calls from the same address', () => {
    const { refusal } = setUp();
    const anonymous: Caller = { kind: 'anonymous' };
    for (let call = 0; call < 10; call += 1) refusal(anonymous);
    expect(refusal(anonymous)).toBeDefined();
    expect(refusal(anonymous, '10.0.0.1:1', 'session1')).toBeUndefined();
    for (let call = 0; call < 3; call += 1) refusal(anonymous, '10.0.0.1:1', 'session2');
    expect(refusal(anonymous, '10.0.0.1:1', 'session2')).toBeDefined();
    expect(refusal(anonymous, '10.0.0.1:1', 'session1')).toBeUndefined();
  });

  it('also limits, per address, the calls that name sessions, because a client can invent sessions', () => {
    const { refusal } = setUp();
    const refusals = Array.from({ length: 31 }, (_, index) =>
      refusal({ kind: 'anonymous' }, '10.0.0.1:1', `madeup${index}`),
    );
    expect(refusals.map(Boolean)).toEqual([...Array<boolean>(30).fill(false), true]);
  });

  it('does not limit services or operators', () => {
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
