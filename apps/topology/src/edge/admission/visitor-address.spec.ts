import { describe, expect, it } from '@jest/globals';
import { addressKey, isWithin, parseNetworks, visitorAddress } from './visitor-address';

it.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['fe80::1%eth0', 'fe80::1'],
  [undefined, ''],
])('normalises the address %j to %j', (raw, address) => {
  expect(visitorAddress(raw)).toBe(address);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('counts visitors with the address %s under %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});

describe('configured networks', () => {
  it.each([
    ['10.1.2.3', true],
    ['11.1.2.3', false],
    ['fd00::1', true],
    ['2001:db8::1', false],
    ['', false],
  ])('decides whether the configured networks contain %j: %s', (address, isInside) => {
    expect(isWithin(parseNetworks(['10.0.0.0/8', 'fc00::/7'])!, address)).toBe(isInside);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', 'x/8', '10.0.0.0/8/8', 'fc00::/129', '10.0.0.0/-1'])(
    'rejects %s, which is not a network',
    (network) => {
      expect(parseNetworks([network])).toBeUndefined();
    },
  );
});
