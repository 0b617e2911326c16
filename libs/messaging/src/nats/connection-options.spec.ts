import { describe, expect, it } from '@jest/globals';
import { toConnectionOptions, type NatsAddress } from './connection-options';

const optionsFor = (url: string, more: Partial<NatsAddress> = {}) =>
  toConnectionOptions({ url, name: 'identity', ...more });

describe('toConnectionOptions', () => {
  it('accepts one address or several', () => {
    expect(optionsFor('nats://a:4222').servers).toEqual(['a:4222']);
    expect(optionsFor('nats://a:4222, b:4333').servers).toEqual(['a:4222', 'b:4333']);
  });

  it('reads credentials from the URL, whichever of several has them', () => {
    expect(optionsFor('nats://us%40r:p%3Ass@a')).toMatchObject({ user: 'us@r', pass: 'p:ss' });
    expect(optionsFor('nats://t0ken@a')).toMatchObject({ token: 't0ken' });
    expect(optionsFor('nats://a')).not.toHaveProperty('user');
    expect(optionsFor('nats://a,nats://me:pw@b')).toMatchObject({ user: 'me', pass: 'pw' });
    expect(optionsFor('nats://me:pw@a,nats://me:pw@b')).toMatchObject({ user: 'me' });
  });

  it('refuses several users, without showing a password', () => {
    const several = () => optionsFor('nats://me:secret@a,nats://you:secret@b');
    expect(several).toThrow(/^all its servers must have the same user and password$/);
    const both = () => optionsFor('nats://me:secret@a', { nkeySeed: Buffer.from('SU…') });
    expect(both).toThrow('exclude each other');
  });

  it('authenticates with a credentials file or an nkey', () => {
    expect(optionsFor('nats://a', { creds: Buffer.from('x') }).authenticator).toBeDefined();
    expect(optionsFor('nats://a', { nkeySeed: Buffer.from('x') }).authenticator).toBeDefined();
  });

  it('requires TLS for tls://, with the configured files', () => {
    expect(optionsFor('tls://a').tls).toEqual({});
    const tls = { ca: Buffer.from('CA'), cert: Buffer.from('CERT'), key: Buffer.from('KEY') };
    expect(optionsFor('tls://a,tls://b', { tls }).tls).toEqual({
      ca: 'CA',
      cert: 'CERT',
      key: 'KEY',
    });
    expect(() => optionsFor('tls://a,nats://b')).toThrow('must all start with tls://');
    expect(() => optionsFor('nats://a', { tls })).toThrow('must start with tls://');
  });

  it('has inboxes of its own and reconnects without a limit', () => {
    const { inboxPrefix, maxReconnectAttempts } = optionsFor('nats://a');
    expect({ inboxPrefix, maxReconnectAttempts }).toEqual({
      inboxPrefix: '_INBOX_identity',
      maxReconnectAttempts: -1,
    });
  });

  it('does not repeat an invalid URL, which may contain a password', () => {
    expect(() => optionsFor('nats://user:secret@')).toThrow(/^it must have the form/);
  });
});
