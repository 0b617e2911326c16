import { describe, expect, it } from '@jest/globals';
import { nkeys, type Authenticator } from 'nats';
import { toConnectionOptions, type NatsAddress } from './connection-options';

const optionsFor = (url: string, more: Partial<NatsAddress> = {}) =>
  toConnectionOptions({ url, name: 'identity', ...more });

const authenticate = (more: Partial<NatsAddress>) =>
  (optionsFor('nats://a', more).authenticator as Authenticator)('nonce');

describe('toConnectionOptions', () => {
  it('accepts one or more addresses', () => {
    expect(optionsFor('nats://a:4222').servers).toEqual(['a:4222']);
    expect(optionsFor('nats://a:4222, b:4333').servers).toEqual(['a:4222', 'b:4333']);
  });

  it('reads credentials from whichever of several URLs has them', () => {
    expect(optionsFor('nats://us%40r:p%3Ass@a')).toMatchObject({ user: 'us@r', pass: 'p:ss' });
    expect(optionsFor('nats://t0ken@a')).toMatchObject({ token: 't0ken' });
    expect(optionsFor('nats://a')).not.toHaveProperty('user');
    expect(optionsFor('nats://a,nats://me:pw@b')).toMatchObject({ user: 'me', pass: 'pw' });
    expect(optionsFor('nats://me:pw@a,nats://me:pw@b')).toMatchObject({ user: 'me' });
  });

  it('refuses more than one user or authentication method, without showing a password', () => {
    const several = () => optionsFor('nats://me:secret@a,nats://you:secret@b');
    expect(several).toThrow(/^all its servers must have the same user and password$/);
    const both = () => optionsFor('nats://me:secret@a', { nkeySeed: Buffer.from('SU…') });
    expect(both).toThrow('mutually exclusive');
  });

  it('authenticates with a credentials file or an nkey', () => {
    const user = nkeys.createUser();
    const seed = Buffer.from(user.getSeed()).toString();
    const creds = `-----BEGIN NATS USER JWT-----\njwt\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
    const signed = { sig: expect.stringMatching(/./) };
    for (const more of [{ nkeySeed: Buffer.from(`${seed}\n`) }, { creds: Buffer.from(creds) }])
      expect(authenticate(more)).toMatchObject(signed);
    expect(authenticate({ nkeySeed: Buffer.from(`${seed}\n`) })).toMatchObject({
      nkey: user.getPublicKey(),
    });
  });

  it('refuses a seed that cannot sign, without showing the seed', () => {
    for (const more of [{ nkeySeed: Buffer.from('SUsecret') }, { creds: Buffer.from('SUsecret') }])
      expect(() => optionsFor('nats://a', more)).toThrow(/contains no valid seed$/);
  });

  it('uses TLS with the configured files if all URLs start with tls://, and refuses any mixture', () => {
    expect(optionsFor('tls://a').tls).toEqual({});
    const tls = { ca: Buffer.from('CA'), cert: Buffer.from('CERT'), key: Buffer.from('KEY') };
    expect(optionsFor('tls://a,tls://b', { tls }).tls).toEqual({
      ca: 'CA',
      cert: 'CERT',
      key: 'KEY',
    });
    expect(() => optionsFor('tls://a,nats://b')).toThrow(
      'either all or none of its URLs must start with tls://',
    );
    expect(() => optionsFor('nats://a', { tls })).toThrow('must start with tls://');
  });

  it('uses an inbox prefix with the service’s name and reconnects without a limit', () => {
    const { inboxPrefix, maxReconnectAttempts } = optionsFor('nats://a');
    expect({ inboxPrefix, maxReconnectAttempts }).toEqual({
      inboxPrefix: '_INBOX_identity',
      maxReconnectAttempts: -1,
    });
  });

  it('refuses an invalid URL without repeating it, because it may contain a password', () => {
    expect(() => optionsFor('nats://user:secret@')).toThrow(/^it must have the form/);
  });
});
