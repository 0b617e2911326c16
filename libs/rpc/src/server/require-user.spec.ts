import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../shared/call-context';
import { requireUser } from './require-user';

describe('requireUser', () => {
  it('returns the user who calls directly or through a service', () => {
    const direct: Caller = { kind: 'user', userId: 'u1' };
    const delegated: Caller = { kind: 'user', userId: 'u1', via: 'agent-runtime' };
    expect(requireUser(direct)).toBe(direct);
    expect(requireUser(delegated)).toBe(delegated);
  });

  it.each<Caller>([
    { kind: 'anonymous' },
    { kind: 'client', name: 'telegram', proof: 'token' },
    { kind: 'admin', proof: 'token' },
    { kind: 'service', service: 'topology', proof: 'token' },
  ])('refuses a caller of kind $kind with INVALID_ARGUMENT', (caller) => {
    expect(() => requireUser(caller)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: 'This method must be called on behalf of a user',
      }),
    );
  });
});
