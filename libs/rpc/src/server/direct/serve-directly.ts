import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { DirectCall, type DirectMethod } from './direct-call';

/** What `serveDirectly` needs from a grpc-js server beyond its public interface. */
interface ServerInternals {
  readonly http2Servers?: unknown;
  /** Records how long connections have been idle. */
  readonly onStreamOpened?: unknown;
}

type StreamListener = (
  this: Http2Server,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  ...rest: unknown[]
) => void;

/**
 * Serves calls to these methods, keyed by path, without the layers of grpc-js, which remains responsible for
 * connections and all other calls. Must be called after the server has begun to listen. Returns false if this version
 * of grpc-js does not allow it; grpc-js then serves these calls, too.
 */
export function serveDirectly(server: Server, methods: ReadonlyMap<string, DirectMethod>): boolean {
  const { http2Servers, onStreamOpened } = server as unknown as ServerInternals;
  if (!(http2Servers instanceof Map) || typeof onStreamOpened !== 'function') return false;
  for (const http2Server of http2Servers.keys() as IterableIterator<Http2Server>) {
    const grpcListeners = http2Server.listeners('stream') as StreamListener[];
    http2Server.removeAllListeners('stream');
    const listener: StreamListener = (stream, headers, ...rest) => {
      const method = methods.get(headers[':path'] ?? '');
      if (!method || !isPlain(headers)) {
        for (const grpcListener of grpcListeners)
          grpcListener.call(http2Server, stream, headers, ...rest);
        return;
      }
      // After any error the stream emits `close`, which is handled.
      stream.on('error', ignore);
      onStreamOpened.call(server, stream);
      new DirectCall(method, stream, headers);
    };
    http2Server.on('stream', listener);
  }
  return true;
}

const ignore = (): void => undefined;

/** Reports whether a call uses gRPC without compression; our own clients never compress. */
function isPlain(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['grpc-encoding'];
  const isEncoded = encoding !== undefined && encoding !== 'identity';
  return !isEncoded && (headers['content-type']?.startsWith('application/grpc') ?? false);
}
