import { createServer as createHttp1Server } from 'node:http';
import {
  createSecureServer,
  createServer as createHttp2Server,
  type Http2Session,
} from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { AppError } from '@daycare/api';
import type { KeyPair } from '@daycare/service-kit';
import { closeWhenIdle } from './close-idle-session';
import { limitBodyTime } from './limit-body-time';
import { detectHttp2 } from './detect-http2';
import { pathOf, type GatewayRequest, type GatewayResponse } from './gateway-request';

export type Handle = (request: GatewayRequest, response: GatewayResponse) => void;

export interface OnePortOptions {
  /** `host:port`. */
  readonly listen: string;
  readonly tls: KeyPair | undefined;
  readonly timeouts: PortTimeouts;
  readonly maxConnections: number;
  /** Admits a connection, and returns a function to call when it closes; undefined refuses the connection. */
  readonly admit: (address: string) => (() => void) | undefined;
  readonly handle: Handle;
  /** Reports whether requests over HTTP/2 to a path may last as long as their responses, as streams of messages do. */
  readonly isOpenEnded: (path: string) => boolean;
}

export interface PortTimeouts {
  /**
   * How long a new connection may take to send its first bytes or finish its TLS handshake, and a request over HTTP/1.1
   * to send its headers.
   */
  readonly firstBytesMs: number;
  /** How long it may take to receive a whole request, unless it is over HTTP/2 and open-ended (`isOpenEnded`). */
  readonly requestMs: number;
  /** How long a connection without a request in progress may be idle. */
  readonly idleMs: number;
  /** How long a request over HTTP/2 may continue after the end of its response. */
  readonly lingerMs: number;
}

export interface OnePort {
  readonly address: string;
  /** Stops accepting connections and asks clients to open no new streams. */
  stopAccepting(): void;
  /** Closes every connection. */
  destroy(): void;
}

export const maxStreamsPerConnection = 1_000;

/**
 * Serves HTTP/1.1 and HTTP/2 on one port. With TLS the client chooses by ALPN; without it, the first bytes of a
 * connection distinguish the two.
 */
export async function openPort(options: OnePortOptions): Promise<OnePort> {
  const sockets = new Set<Socket>();
  const sessions = new Set<Http2Session>();
  const server = options.tls ? secureServer(options, options.tls) : plainServer(options, sessions);
  server.on('session', (session: Http2Session) => track(sessions, session));
  server.maxConnections = options.maxConnections;
  server.on('connection', (socket: Socket) => {
    const release = options.admit(socket.remoteAddress ?? '');
    if (!release) return void socket.destroy();
    socket.once('close', release);
    track(sockets, socket);
  });
  const address = await startListening(server, options.listen);
  return {
    address,
    stopAccepting() {
      server.close();
      for (const session of sessions) session.close();
    },
    destroy: () => sockets.forEach((socket) => socket.destroy()),
  };
}

function track<T extends { once(event: 'close', listener: () => void): unknown }>(
  open: Set<T>,
  item: T,
): void {
  open.add(item);
  item.once('close', () => open.delete(item));
}

const http2Options = {
  settings: { maxConcurrentStreams: maxStreamsPerConnection },
  // The flood guard slows a connection by lowering its limit on concurrent streams. Each time, Node may refuse as many
  // streams as the client may already have opened, and counts each as an invalid frame for as long as the connection
  // lasts. With this limit, a connection can be slowed 100 times.
  maxSessionInvalidFrames: 100 * maxStreamsPerConnection,
} as const;

/** Detects peers that vanish without closing the connection, even while a stream is waiting for events. */
const socketOptions = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
} as const;

function http1Options({ firstBytesMs, requestMs, idleMs }: PortTimeouts) {
  return {
    headersTimeout: firstBytesMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.ceil(firstBytesMs / 2),
  };
}

function secureServer(options: OnePortOptions, { cert, key, renewals }: KeyPair): Server {
  const { timeouts } = options;
  const handshakeTimeout = timeouts.firstBytesMs;
  const keys = { cert, key, allowHTTP1: true, handshakeTimeout };
  const server = createSecureServer({ ...http2Options, ...socketOptions, ...keys });
  if (renewals)
    server.on(
      'close',
      renewals.subscribe((pair) => server.setSecureContext(pair)),
    );
  // Set as properties, because Node ignores them as options here.
  Object.assign(server, http1Options(timeouts));
  server.on('request', limitBodyTimes(options));
  server.on('session', (session) => closeWhenIdle(session, timeouts.idleMs));
  return server;
}

/** Limits requests over HTTP/2, because Node limits the duration of a request only over HTTP/1.1. */
function limitBodyTimes({ handle, timeouts, isOpenEnded }: OnePortOptions): Handle {
  return (request, response) => {
    if ('stream' in request) {
      const requestMs = isOpenEnded(pathOf(request)) ? Infinity : timeouts.requestMs;
      limitBodyTime(request, { requestMs, lingerMs: timeouts.lingerMs });
    }
    handle(request, response);
  };
}

function plainServer(options: OnePortOptions, sessions: Set<Http2Session>): Server {
  const { handle, timeouts } = options;
  const http1 = createHttp1Server({ ...http1Options(timeouts), insecureHTTPParser: false }, handle);
  const http2 = createHttp2Server(http2Options, limitBodyTimes(options));
  http2.on('session', (session) => {
    track(sessions, session);
    closeWhenIdle(session, timeouts.idleMs);
  });
  http2.on('sessionError', () => undefined);
  const server = createServer(socketOptions);
  // Node checks the HTTP/1.1 timeouts from this event until the server is closed.
  server.once('listening', () => http1.emit('listening'));
  server.once('close', () => http1.close());
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy());
    void detectHttp2(socket, timeouts.firstBytesMs).then((isHttp2) => {
      if (isHttp2 === undefined) socket.destroy();
      else (isHttp2 ? http2 : http1).emit('connection', socket);
    });
  });
  return server;
}

function startListening(server: Server, listen: string): Promise<string> {
  const separator = listen.lastIndexOf(':');
  const host = listen.slice(0, separator);
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === 'EADDRINUSE';
      const why = isTaken ? 'the port is in use by another program' : cause.message;
      reject(
        new AppError('FAILED_PRECONDITION', `cannot listen on ${listen}: ${why}`, {}, { cause }),
      );
    });
    server.listen(Number(listen.slice(separator + 1)), host.replace(/^\[|\]$/g, ''), () =>
      resolve(`${host}:${(server.address() as AddressInfo).port}`),
    );
  });
}
