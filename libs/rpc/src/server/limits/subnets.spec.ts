import { describe, expect, it } from '@jest/globals';
import { canonicalAddress, makeIsWithin, parseSubnet, type Subnet } from './subnets';

describe('parseSubnet', () => {
  it.each<[string, Subnet]>([
    ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8 }],
    [' 10.0.0.1', { address: '10.0.0.1', prefix: 32 }],
    ['fd00::/8', { address: 'fd00::', prefix: 8 }],
  ])('parses "%s"', (text, subnet) => {
    expect(parseSubnet(text)).toEqual(subnet);
  });

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/0x8',
    '10.0.0.0/8e0',
    'fe80::1%eth0',
    '10.0.0.0/',
    '10.0.0/8',
    '10.0.0.0/8/9',
    'proxy',
    '10.0.0.0/x',
  ])('rejects "%s"', (text) => {
    expect(parseSubnet(text)).toBeUndefined();
  });
});

describe('makeIsWithin', () => {
  const isWithin = makeIsWithin([
    { address: '10.0.0.0', prefix: 8 },
    { address: 'fc00::', prefix: 7 },
  ]);

  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['11.1.2.3', false],
    ['fd00::1', true],
    ['fd00::1%eth0', true],
    ['2001:db8::1', false],
    ['', false],
  ])('reports whether the subnets contain %j: %s', (address, isInside) => {
    expect(isWithin(address)).toBe(isInside);
  });

  it('finds no address in an empty list of subnets', () => {
    expect(makeIsWithin([])('10.1.2.3')).toBe(false);
  });
});

it.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['', ''],
])('the canonical form of the address %j is %j', (raw, address) => {
  expect(canonicalAddress(raw)).toBe(address);
});
