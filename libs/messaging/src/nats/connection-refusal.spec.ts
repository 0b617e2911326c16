import { describe, expect, it } from '@jest/globals';
import { ErrorCode, NatsError } from 'nats';
import { refusalOf } from './connection-refusal';

describe('refusalOf', () => {
  it('takes a wrong password for a refusal', () => {
    const error = new NatsError('no', ErrorCode.AuthorizationViolation);
    expect(refusalOf(error)?.message).toBe('the server refuses the user or the password');
  });

  it('takes a server that was too slow to authenticate for one that may only be busy', () => {
    expect(refusalOf(new NatsError('slow', ErrorCode.AuthenticationTimeout))).toBeUndefined();
  });
});
