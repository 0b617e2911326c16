import type { ClientHttp2Session } from 'node:http2';
import { Metadata, type Client } from '@grpc/grpc-js';

/** A call made without grpc-js, which grpc-js nevertheless counts among its connection's calls. */
export interface ActiveCall {
  /** Called when the connection is lost. */
  onDisconnect(): void;
}

/** A connection that grpc-js has opened and keeps alive. */
export interface Connection {
  readonly session: ClientHttp2Session;
  readonly userAgent: string;
  /** Keeps the process and the connection alive until the call is removed. */
  addActiveCall(call: ActiveCall): void;
  removeActiveCall(call: ActiveCall): void;
}

export interface Route {
  /** The `:authority` of calls. */
  readonly authority: string;
  /** Returns the connection that the load balancer picks for the next call; undefined if there currently is none. */
  next(): Connection | undefined;
}

/** What `findRoute` needs from a grpc-js channel beyond its public interface. */
interface ChannelInternals {
  readonly internalChannel?: {
    readonly defaultAuthority?: unknown;
    doPick?(metadata: Metadata, info: object): Pick;
  };
}

interface Pick {
  readonly pickResultType: number;
  readonly subchannel?: { getRealSubchannel?(): { readonly transport?: unknown } } | null;
  readonly onCallStarted?: unknown;
  readonly onCallEnded?: unknown;
}

/** The `pickResultType` of a pick that found a connection. */
const pickComplete = 0;
const noMetadata = new Metadata();

/** Returns where a client's calls go; undefined with a version of grpc-js that does not reveal it. */
export function findRoute(client: Client): Route | undefined {
  const { internalChannel: channel } = client.getChannel() as ChannelInternals;
  const authority = channel?.defaultAuthority;
  if (typeof channel?.doPick !== 'function' || typeof authority !== 'string') return undefined;
  return {
    authority,
    next() {
      const pick = channel.doPick?.(noMetadata, {});
      // A load balancer that tracks calls has to see all of them, so grpc-js has to make them.
      if (pick?.pickResultType !== pickComplete || pick.onCallStarted || pick.onCallEnded)
        return undefined;
      const transport = pick.subchannel?.getRealSubchannel?.().transport;
      return isUsable(transport) ? transport : undefined;
    },
  };
}

function isUsable(transport: unknown): transport is Connection {
  const { session, userAgent, addActiveCall, removeActiveCall } = (transport ??
    {}) as Partial<Connection>;
  return (
    session !== undefined &&
    !session.closed &&
    !session.destroyed &&
    typeof userAgent === 'string' &&
    typeof addActiveCall === 'function' &&
    typeof removeActiveCall === 'function'
  );
}
