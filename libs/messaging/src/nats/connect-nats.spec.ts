import { describe, expect, it } from '@jest/globals';
import { toConnectionOptions } from './connect-nats';

const optionsFor = (url: string) => toConnectionOptions({ url, name: 'identity' });

describe('toConnectionOptions', () => {
  it('accepts one address or several', () => {
    expect(optionsFor('nats://a:4222').servers).toEqual(['a:4222']);
    expect(optionsFor('nats://a:4222, b:4333').servers).toEqual(['a:4222', 'b:4333']);
  });

  it('reads credentials from the URL', () => {
    expect(optionsFor('nats://us%40r:p%3Ass@a')).toMatchObject({ user: 'us@r', pass: 'p:ss' });
    expect(optionsFor('nats://t0ken@a')).toMatchObject({ token: 't0ken' });
    expect(optionsFor('nats://a')).not.toHaveProperty('user');
  });

  it('reconnects without a limit', () => {
    expect(optionsFor('nats://a').maxReconnectAttempts).toBe(-1);
  });

  it('does not repeat an invalid URL, which may contain a password', () => {
    expect(() => optionsFor('nats://user:secret@')).toThrow(/^the NATS URL must have the form/);
  });
});
