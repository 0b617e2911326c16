import { describe, expect, it } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import type { Caller } from '../../shared/call-context';
import { StreamLimiter } from './stream-limiter';

const call = { getPeer: () => '10.0.0.1:1', metadata: new Metadata() };
const ada: Caller = { kind: 'user', userId: 'ada' };
const tooMany = expect.objectContaining({ code: 'QUOTA_EXCEEDED' });

function setUp(total = 100) {
  const limiter = new StreamLimiter({ perOwner: 3, perAddress: 2, total });
  return { limiter, enter: (caller: Caller) => limiter.enter(caller, call) };
}

describe('StreamLimiter', () => {
  it("counts a user together with the user's subusers and agents", () => {
    const { enter } = setUp();
    enter(ada);
    enter({ ...ada, agentId: 'main' });
    enter({ kind: 'user', userId: 'helper', parentUserId: 'ada' });
    expect(() => enter(ada)).toThrow(tooMany);
    expect(enter({ kind: 'user', userId: 'bob' })).toBeDefined();
  });

  it("lets a caller open another stream once one of the caller's streams has ended", () => {
    const { limiter, enter } = setUp();
    const leave = [enter(ada), enter(ada), enter(ada)];
    expect(() => enter(ada)).toThrow(tooMany);
    leave[0]?.();
    enter(ada);
    expect(() => enter(ada)).toThrow(tooMany);
    expect(limiter.size).toBe(3);
  });

  it('counts anonymous callers by address', () => {
    const { enter } = setUp();
    enter({ kind: 'anonymous' });
    enter({ kind: 'anonymous' });
    expect(() => enter({ kind: 'anonymous' })).toThrow(tooMany);
  });

  it("refuses streams above the overall limit, but does not count services' and operators' streams", () => {
    const { limiter, enter } = setUp(2);
    enter(ada);
    enter({ kind: 'client', proof: 'token', name: 'telegram' });
    const full = expect.objectContaining({ code: 'UNAVAILABLE' });
    expect(() => enter({ kind: 'user', userId: 'bob' })).toThrow(full);
    enter({ kind: 'service', service: 'topology', proof: 'token' });
    enter({ kind: 'admin', proof: 'token' });
    expect(limiter.size).toBe(2);
  });
});
