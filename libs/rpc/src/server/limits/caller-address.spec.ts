import { describe, expect, it } from '@jest/globals';
import { Metadata } from '@grpc/grpc-js';
import { makeCallerAddress } from './caller-address';
import { parseSubnet } from './subnets';

function addressOf(peer: string, forwarded: readonly string[] = [], proxies: string[] = []) {
  const metadata = new Metadata();
  for (const value of forwarded) metadata.add('x-forwarded-for', value);
  const subnets = proxies.map((text) => parseSubnet(text)).filter((subnet) => subnet !== undefined);
  return makeCallerAddress(subnets)({ getPeer: () => peer, metadata });
}

describe('makeCallerAddress', () => {
  it.each([
    ['10.0.0.1:4000', '10.0.0.1'],
    ['::ffff:10.0.0.1:4000', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6:4000', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9:4000', '2001:db8:1:2::/64'],
    ['2001:db8::9:4000', '2001:db8:0:0::/64'],
    ['2001:0db8:1:2:ffff::1:4000', '2001:db8:1:2::/64'],
    ['::1:4000', '0:0:0:0::/64'],
    ['fe80::1%eth0:4000', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('counts a caller whose connection comes from %s by the address %s', (peer, expected) => {
    expect(addressOf(peer)).toBe(expected);
  });

  it("uses the connection's address, whatever headers an untrusted caller sends", () => {
    expect(addressOf('10.0.0.1:1', ['8.8.8.8'])).toBe('10.0.0.1');
    expect(addressOf('10.0.0.1:1', ['8.8.8.8'], ['10.1.0.0/16'])).toBe('10.0.0.1');
  });

  it.each<[string, string[], string]>([
    ['the address that the proxy forwards', ['9.9.9.9'], '9.9.9.9'],
    ['the last address, because the client sent the others', ['1.1.1.1, 9.9.9.9'], '9.9.9.9'],
    ["the last address that is not a proxy's", ['1.1.1.1', '9.9.9.9, 10.1.0.7'], '9.9.9.9'],
    ['the network of a forwarded IPv6 address', ['2001:db8:1:2::9'], '2001:db8:1:2::/64'],
    ["the proxy's own address if it forwards none", [], '10.1.0.5'],
    ["the proxy's own address if it forwards something else", ['9.9.9.9, nonsense'], '10.1.0.5'],
  ])('for a call through a trusted proxy, uses %s', (_, forwarded, expected) => {
    expect(addressOf('10.1.0.5:1', forwarded, ['10.1.0.0/16'])).toBe(expected);
  });
});
