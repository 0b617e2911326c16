import type { IncomingMessage } from 'node:http';
import { forwardedKey, makeClientAddress, makeIsWithin, type Subnet } from '@daycare/rpc';

/** Determines the addresses of the edge's visitors, and which of them are local. */
export interface Visitors {
  /** Returns the visitor's address: the connection's, or the one that a trusted proxy forwards. */
  addressOf(request: Pick<IncomingMessage, 'socket' | 'headers'>): string;
  isProxy(address: string): boolean;
  /** A proxy's own address is never local: it does not say where the visitor is. */
  isLocal(address: string): boolean;
}

export interface VisitorsSpec {
  readonly localNetworks: readonly Subnet[];
  readonly trustedProxies: readonly Subnet[];
}

export function makeVisitors({ localNetworks, trustedProxies }: VisitorsSpec): Visitors {
  const clientAddress = makeClientAddress(trustedProxies);
  const isProxy = makeIsWithin(trustedProxies);
  const isInLocalNetwork = makeIsWithin(localNetworks);
  return {
    addressOf: ({ socket, headers }) => {
      const forwarded = [headers[forwardedKey] ?? []].flat();
      return clientAddress(socket.remoteAddress ?? '', forwarded);
    },
    isProxy,
    isLocal: (address) => isInLocalNetwork(address) && !isProxy(address),
  };
}
