import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * An address and the length of its network prefix, e.g. `10.0.0.0/8`; a full-length prefix means one address.
 */
export interface Subnet {
  readonly address: string;
  readonly prefix: number;
}

/** Parses a subnet or a single address; returns undefined if the text is neither. */
export function parseSubnet(text: string): Subnet | undefined {
  const [address = '', length, ...rest] = text.trim().split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const prefix = length === undefined ? bits : Number(length);
  const isNumber = length === undefined || /^\d{1,3}$/.test(length);
  const isValid = bits > 0 && !address.includes('%') && isNumber && rest.length === 0;
  return isValid && prefix <= bits ? { address, prefix } : undefined;
}

/** Returns a function that reports whether an address is in one of the subnets. */
export function makeIsWithin(subnets: readonly Subnet[]): (address: string) => boolean {
  if (subnets.length === 0) return () => false;
  const list = new BlockList();
  for (const { address, prefix } of subnets)
    list.addSubnet(address, prefix, isIPv6(address) ? 'ipv6' : 'ipv4');
  return (rawAddress) => {
    const address = canonicalAddress(rawAddress);
    return isIP(address) > 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
}

/**
 * Undoes the IPv6 form of an IPv4 address, which a server sees when it listens on both protocols, and removes the zone
 * of a link-local address.
 */
export function canonicalAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').replace(/%.*$/, '');
}
