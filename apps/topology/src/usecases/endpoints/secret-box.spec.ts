import { describe, expect, it } from '@jest/globals';
import { generateSecret, isSignedBy, SecretBox } from './secret-box';

const box = new SecretBox('the key of this installation');

describe('SecretBox', () => {
  it('a secret box opens a secret that was sealed for the same endpoint with the same key', () => {
    const sealed = box.seal('whsec_test_secret', 'e1');
    expect(sealed).not.toContain('whsec');
    expect(box.open(sealed, 'e1')).toBe('whsec_test_secret');
    expect(new SecretBox('the key of this installation').open(sealed, 'e1')).toBe(
      'whsec_test_secret',
    );
    expect(box.seal('whsec_test_secret', 'e1')).not.toBe(sealed);
  });

  it('a secret box does not open a secret for another endpoint, with another key, or after it was altered', () => {
    const sealed = box.seal('whsec_test_secret', 'e1');
    expect(() => box.open(sealed, 'e2')).toThrow();
    expect(() => new SecretBox('another key').open(sealed, 'e1')).toThrow();
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[14]! ^= 1;
    expect(() => box.open(bytes.toString('base64url'), 'e1')).toThrow();
    expect(() => box.open('', 'e1')).toThrow();
  });

  it('two secrets have the same fingerprint only if the secrets are equal and so are the keys of their boxes', () => {
    expect(box.fingerprintOf('one')).toBe(box.fingerprintOf('one'));
    expect(box.fingerprintOf('one')).not.toBe(box.fingerprintOf('two'));
    expect(box.fingerprintOf('one')).not.toBe(new SecretBox('another key').fingerprintOf('one'));
  });

  it('generates secrets of 256 random bits', () => {
    expect(generateSecret()).toMatch(/^[\w-]{43}$/);
    expect(generateSecret()).not.toBe(generateSecret());
  });
});

describe('isSignedBy', () => {
  it('verifies the signature in the example in GitHub’s documentation', () => {
    const mac = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const body = Buffer.from('Hello, World!');
    const secret = "It's a Secret to Everybody";
    expect(isSignedBy(secret, { prefix: '', macs: [mac] }, body)).toBe(true);
    expect(isSignedBy(secret, { prefix: '', macs: [mac.toUpperCase()] }, body)).toBe(true);
    expect(isSignedBy(secret, { prefix: '', macs: ['0'.repeat(64), mac] }, body)).toBe(true);
    expect(isSignedBy(secret, { prefix: 'x', macs: [mac] }, body)).toBe(false);
    expect(isSignedBy('another secret', { prefix: '', macs: [mac] }, body)).toBe(false);
    expect(isSignedBy(secret, { prefix: '', macs: [mac] }, Buffer.from('Hello, World'))).toBe(
      false,
    );
  });

  it('verifies the signature in the example in Slack’s documentation', () => {
    const mac = 'a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
    const body = Buffer.from(
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
        '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
        '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554' +
        '%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    );
    const claim = { prefix: 'v0:1531420618:', macs: [mac] };
    expect(isSignedBy('8f742231b10e8888abcd99yyyzzz85a5', claim, body)).toBe(true);
  });
});
