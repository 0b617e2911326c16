import { BlockList, isIP, isIPv6 } from 'node:net';
import type { CallOrigin } from '../../shared/call-context';

/** Returns the address by which limits count a call's caller. */
export type CallerAddress = (call: CallOrigin) => string;

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
  const isValid = bits > 0 && rest.length === 0 && Number.isInteger(prefix) && length !== '';
  return isValid && prefix >= 0 && prefix <= bits ? { address, prefix } : undefined;
}

export const forwardedKey = 'x-forwarded-for';
/** A client can send any number of addresses; only those at the end were added by proxies. */
const maxForwardedAddresses = 16;

/** Finds a client's address: the connection's, or the one that a trusted proxy forwards. */
export type ClientAddress = (peer: string, forwarded: readonly string[]) => string;

/**
 * Returns a function that finds a caller's address. Calls through a trusted proxy are counted by the address that the
 * proxy forwards, all others by the connection's, because anyone can send `x-forwarded-for`. A subscriber has a whole
 * /64 of IPv6 addresses, which count as one.
 */
export function makeCallerAddress(trustedProxies: readonly Subnet[] = []): CallerAddress {
  const clientAddress = makeClientAddress(trustedProxies);
  return (call) => {
    const peer = call.getPeer().replace(/:\d+$/, '');
    if (trustedProxies.length === 0) return subscriberOf(unmapIpv4(peer));
    const forwarded = call.metadata.get(forwardedKey).map((value) => value.toString());
    return subscriberOf(clientAddress(peer, forwarded));
  };
}

/**
 * Returns a function that finds a client's address. `forwarded` are the values of `x-forwarded-for`, each of which may
 * be a list of addresses.
 */
export function makeClientAddress(trustedProxies: readonly Subnet[]): ClientAddress {
  const isProxy = makeIsProxy(trustedProxies);
  return (rawPeer, forwarded) => {
    const peer = unmapIpv4(rawPeer);
    if (!isProxy(peer)) return peer;
    const addresses = forwarded
      .flatMap((value) => value.split(','))
      .slice(-maxForwardedAddresses)
      .map((value) => unmapIpv4(value.trim()))
      .reverse();
    const client = addresses.find((address) => isIP(address) === 0 || !isProxy(address));
    return client !== undefined && isIP(client) > 0 ? client : peer;
  };
}

/** Returns a function that reports whether an address belongs to a trusted proxy. */
export function makeIsProxy(trustedProxies: readonly Subnet[]): (address: string) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const proxies = new BlockList();
  for (const { address, prefix } of trustedProxies)
    proxies.addSubnet(address, prefix, isIPv6(address) ? 'ipv6' : 'ipv4');
  return (rawAddress) => {
    const address = unmapIpv4(rawAddress);
    return isIP(address) > 0 && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
}

/** Undoes the IPv6 form of an IPv4 address, which a server sees when it listens on both protocols. */
function unmapIpv4(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}

/** Returns what counts as one subscriber: an IPv4 address, or an IPv6 address's /64 network. */
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
