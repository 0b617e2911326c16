import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Returns a connection's remote address in canonical form. */
export function visitorAddress(remoteAddress: string | undefined): string {
  return (remoteAddress ?? '').replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').replace(/%.*$/, '');
}

/** Returns what counts as one visitor: the IPv4 address, or the IPv6 /64 network. */
export function addressKey(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const front = head.split(':').filter((group) => group !== '');
  const back = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back];
  return groups.slice(0, 4).join(':');
}

/** Parses networks such as `10.0.0.0/8`; undefined when one of them is invalid. */
export function parseNetworks(networks: readonly string[]): BlockList | undefined {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = '', ...rest] = network.split('/');
    const maxBits = isIPv4(address) ? 32 : 128;
    const isNetwork = (isIPv4(address) || isIPv6(address)) && /^\d{1,3}$/.test(bits);
    if (!isNetwork || Number(bits) > maxBits || rest.length > 0) return undefined;
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}

export function isWithin(networks: BlockList, address: string): boolean {
  if (isIPv4(address)) return networks.check(address, 'ipv4');
  return isIPv6(address) && networks.check(address, 'ipv6');
}
