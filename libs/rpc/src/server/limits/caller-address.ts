import { isIP, isIPv6 } from 'node:net';
import type { CallOrigin } from '../../shared/call-context';
import { canonicalAddress, makeIsWithin, type Subnet } from './subnets';

/** Returns the address by which limits count a call's caller. */
export type CallerAddress = (call: CallOrigin) => string;

export const forwardedKey = 'x-forwarded-for';
/**
 * How many forwarded addresses are considered, counted from the end: a client can send any number, and only those at
 * the end were added by proxies.
 */
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
    if (trustedProxies.length === 0) return subscriberOf(peer);
    const forwarded = call.metadata.get(forwardedKey).map((value) => value.toString());
    return subscriberOf(clientAddress(peer, forwarded));
  };
}

/**
 * Returns a function that finds a client's address. `forwarded` are the values of `x-forwarded-for`, each of which may
 * be a list of addresses.
 */
export function makeClientAddress(trustedProxies: readonly Subnet[]): ClientAddress {
  const isProxy = makeIsWithin(trustedProxies);
  return (rawPeer, forwarded) => {
    const peer = canonicalAddress(rawPeer);
    if (!isProxy(peer)) return peer;
    const addresses = forwarded
      .flatMap((value) => value.split(','))
      .slice(-maxForwardedAddresses)
      .map((value) => canonicalAddress(value.trim()))
      .reverse();
    const client = addresses.find((address) => isIP(address) === 0 || !isProxy(address));
    return client !== undefined && isIP(client) > 0 ? client : peer;
  };
}

/** Returns what counts as one subscriber: an IPv4 address, or an IPv6 address's /64 network. */
export function subscriberOf(rawAddress: string): string {
  const address = canonicalAddress(rawAddress);
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(Math.max(8 - left.length - right.length, 0)).fill('0');
  const network = [...left, ...zeros, ...right].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
