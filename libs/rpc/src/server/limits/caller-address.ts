import { BlockList, isIP, isIPv6 } from 'node:net';
import type { CallOrigin } from '../../shared/call-context';

/** Where a call comes from, as far as limits are concerned. */
export type CallerAddress = (call: CallOrigin) => string;

/** An address with the length of its prefix, e.g. `10.0.0.0/8`; without one, a single address. */
export interface Subnet {
  readonly address: string;
  readonly prefix: number;
}

/** Parses a subnet; undefined when it is not one. */
export function parseSubnet(text: string): Subnet | undefined {
  const [address = '', length, ...rest] = text.trim().split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const prefix = length === undefined ? bits : Number(length);
  const isValid = bits > 0 && rest.length === 0 && Number.isInteger(prefix) && length !== '';
  return isValid && prefix >= 0 && prefix <= bits ? { address, prefix } : undefined;
}

export const forwardedKey = 'x-forwarded-for';
/** A client can send any number of addresses; only those at the end were added by proxies. */
const maxForwarded = 16;

/** Finds the address of a client: that of its connection, unless a trusted proxy says otherwise. */
export type ClientAddress = (peer: string, forwarded: readonly string[]) => string;

/**
 * Finds the address of a caller. Calls that come through one of the trusted proxies are counted by the address
 * that the proxy saw, everyone else's by that of the connection: anyone can send the header. One subscriber
 * has a whole /64 of IPv6 addresses, which count as one.
 */
export function makeCallerAddress(trustedProxies: readonly Subnet[] = []): CallerAddress {
  const clientAddress = makeClientAddress(trustedProxies);
  return (call) => {
    const peer = call.getPeer().replace(/:\d+$/, '');
    if (trustedProxies.length === 0) return subscriberOf(unmapped(peer));
    const forwarded = call.metadata.get(forwardedKey).map((value) => value.toString());
    return subscriberOf(clientAddress(peer, forwarded));
  };
}

/** `forwarded` are the values of `x-forwarded-for`, each of which may be a list. */
export function makeClientAddress(trustedProxies: readonly Subnet[]): ClientAddress {
  const isProxy = makeIsProxy(trustedProxies);
  return (mapped, forwarded) => {
    const peer = unmapped(mapped);
    if (!isProxy(peer)) return peer;
    const addresses = forwarded
      .flatMap((value) => value.split(','))
      .slice(-maxForwarded)
      .map((value) => unmapped(value.trim()))
      .reverse();
    const client = addresses.find((address) => isIP(address) === 0 || !isProxy(address));
    return client !== undefined && isIP(client) > 0 ? client : peer;
  };
}

/** Whether an address is that of a trusted proxy. */
export function makeIsProxy(trustedProxies: readonly Subnet[]): (address: string) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const proxies = new BlockList();
  for (const { address, prefix } of trustedProxies)
    proxies.addSubnet(address, prefix, isIPv6(address) ? 'ipv6' : 'ipv4');
  return (mapped) => {
    const address = unmapped(mapped);
    return isIP(address) > 0 && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
}

/** An IPv4 address also has an IPv6 form, which a server sees when it listens on both. */
function unmapped(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}

/** What counts as one subscriber: an IPv4 address, or the /64 network of an IPv6 address. */
export function subscriberOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(Math.max(8 - left.length - right.length, 0)).fill('0');
  const network = [...left, ...zeros, ...right].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
