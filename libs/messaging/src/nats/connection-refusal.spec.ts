import { describe, expect, it } from '@jest/globals';
import { ErrorCode, NatsError } from 'nats';
import { refusalOf } from './connection-refusal';

describe('refusalOf', () => {
  it('treats a wrong password as a refusal', () => {
    const error = new NatsError('no', ErrorCode.AuthorizationViolation);
    expect(refusalOf(error)?.message).toBe('the server refuses the user or the password');
  });

  it('does not treat an authentication timeout as a refusal', () => {
    expect(refusalOf(new NatsError('slow', ErrorCode.AuthenticationTimeout))).toBeUndefined();
  });
});
