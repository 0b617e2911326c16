import { describe, expect, it } from '@jest/globals';
import { isSecret, readSignature, slackChallengeOf, type SignatureStyle } from './signature';

const seconds = 1_531_420_618;
const now = new Date(seconds * 1000);
const mac = 'a'.repeat(64);
const otherMac = 'B'.repeat(64);
const read = (style: SignatureStyle, headers: Record<string, string | string[]>) =>
  readSignature(style, headers, now);
const github = (value: string) => read('github', { 'x-hub-signature-256': value });
const stripe = (value: string) => read('stripe', { 'stripe-signature': value });
const slack = (signature: string, time: string) =>
  read('slack', { 'x-slack-signature': signature, 'x-slack-request-timestamp': time });

describe('GitHub', () => {
  it('a GitHub signature covers the body alone', () => {
    expect(github(`sha256=${mac}`)).toEqual({ prefix: '', macs: [mac] });
  });

  it.each([
    '',
    mac,
    `sha1=${mac}`,
    `sha256=${mac}0`,
    `sha256=${mac.slice(1)}`,
    `sha256=${mac}, sha256=${mac}`,
    `sha256=${'g'.repeat(64)}`,
    ` sha256=${mac}`,
  ])('refuses the GitHub signature %j', (value) => {
    expect(github(value)).toBeUndefined();
  });

  it('the older GitHub header with SHA-1 is ignored', () => {
    expect(read('github', { 'x-hub-signature': `sha1=${'a'.repeat(40)}` })).toBeUndefined();
    expect(read('github', {})).toBeUndefined();
  });
});

describe('Stripe', () => {
  it('a Stripe signature covers the time and body, and may contain several MACs while a secret is being replaced', () => {
    expect(stripe(`t=${seconds},v1=${mac}`)).toEqual({ prefix: `${seconds}.`, macs: [mac] });
    expect(stripe(`t=${seconds}, v1=${mac}, v1=${otherMac}, v0=${mac}`)).toEqual({
      prefix: `${seconds}.`,
      macs: [mac, otherMac],
    });
  });

  const invalidSignatures = [
    '',
    `t=${seconds}`,
    `v1=${mac}`,
    `t=${seconds},v0=${mac}`,
    `t=${seconds},t=${seconds},v1=${mac}`,
    `t=${seconds - 301},v1=${mac}`,
    `t=${seconds + 301},v1=${mac}`,
    `t=-1,v1=${mac}`,
    `t=1e9,v1=${mac}`,
    `t=,v1=${mac}`,
    `t=${seconds}${`,v1=${mac}`.repeat(9)}`,
  ];
  it.each(invalidSignatures.map((value) => [value.slice(0, 40), value] as const))(
    'refuses the Stripe signature %j',
    (_, value) => {
      expect(stripe(value)).toBeUndefined();
    },
  );

  it.each([-300, 300])('accepts a Stripe signature whose time is off by %d seconds', (offset) => {
    expect(stripe(`t=${seconds + offset},v1=${mac}`)).toBeDefined();
  });
});

describe('Slack', () => {
  it('a Slack signature covers the version, time and body', () => {
    const prefix = `v0:${seconds}:`;
    expect(slack(`v0=${mac}`, `${seconds}`)).toEqual({ prefix, macs: [mac] });
  });

  it.each([
    [`v0=${mac}`, ''],
    [`v0=${mac}`, `${seconds - 301}`],
    [`v0=${mac}`, `${seconds + 301}`],
    [`v0=${mac}`, `${seconds}, ${seconds}`],
    [`v1=${mac}`, `${seconds}`],
    ['', `${seconds}`],
  ])('refuses the Slack signature %j with the timestamp %j', (signature, time) => {
    expect(slack(signature, time)).toBeUndefined();
  });
});

describe('slackChallengeOf', () => {
  it('finds the challenge in a URL verification and in nothing else', () => {
    const verification = { type: 'url_verification', challenge: '3eZbrw1a' };
    expect(slackChallengeOf(JSON.stringify(verification))).toBe('3eZbrw1a');
    for (const text of ['{', 'null', '[]', '{}', '"url_verification"'])
      expect(slackChallengeOf(text)).toBeUndefined();
    const otherPosts = [
      { ...verification, type: 'event_callback' },
      { ...verification, challenge: 7 },
      { ...verification, challenge: '<b> x' },
      { ...verification, challenge: 'x'.repeat(501) },
    ];
    for (const post of otherPosts) expect(slackChallengeOf(JSON.stringify(post))).toBeUndefined();
  });
});

describe('isSecret', () => {
  it.each([
    ['x'.repeat(15), false],
    ['x'.repeat(16), true],
    ['whsec_0123456789abcdef', true],
    ['x'.repeat(257), false],
    [`${'x'.repeat(16)} y`, false],
    [`${'x'.repeat(16)}ü`, false],
  ])('%j is a valid secret: %s', (text, expected) => {
    expect(isSecret(text)).toBe(expected);
  });
});
