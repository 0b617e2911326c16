import { createServer as createHttp1Server } from 'node:http';
import {
  createSecureServer,
  createServer as createHttp2Server,
  type Http2Session,
} from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { AppError } from '@daycare/api';
import type { KeyPair } from '@daycare/service-kit';
import type { GatewayRequest, GatewayResponse } from './gateway-request';

export type Handle = (request: GatewayRequest, response: GatewayResponse) => void;

export interface OnePortOptions {
  /** `host:port`. */
  readonly listen: string;
  readonly tls: KeyPair | undefined;
  /** How long a connection without a request in progress may be idle. */
  readonly idleTimeoutMs: number;
  readonly maxConnections: number;
  /** Counts a connection; the result is called when it is closed. Undefined refuses it. */
  readonly admit: (address: string) => (() => void) | undefined;
  readonly handle: Handle;
}

export interface OnePort {
  readonly address: string;
  /** Accepts no new connections and asks clients to open no new streams. */
  stopAccepting(): void;
  /** Closes every connection. */
  destroy(): void;
}

const firstBytesTimeoutMs = 10_000;
const maxRequestMs = 600_000;
const maxStreamsPerConnection = 1_000;
const preface = 'PRI';

/**
 * Serves HTTP/1.1 and HTTP/2 on one port. With TLS the client chooses by ALPN; without it, the first bytes of a
 * connection tell the two apart: no method of HTTP/1.1 begins like the preface of HTTP/2.
 */
export async function openPort(options: OnePortOptions): Promise<OnePort> {
  const sockets = new Set<Socket>();
  const sessions = new Set<Http2Session>();
  const server = options.tls ? secureServer(options, options.tls) : plainServer(options, sessions);
  server.on('session', (session: Http2Session) => track(sessions, session));
  server.maxConnections = options.maxConnections;
  server.on('connection', (socket: Socket) => {
    const leave = options.admit(socket.remoteAddress ?? '');
    if (!leave) return void socket.destroy();
    socket.once('close', leave);
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
  all: Set<T>,
  one: T,
): void {
  all.add(one);
  one.once('close', () => all.delete(one));
}

const http1Options = {
  headersTimeout: firstBytesTimeoutMs,
  requestTimeout: maxRequestMs,
  insecureHTTPParser: false,
} as const;

const http2Options = {
  settings: { maxConcurrentStreams: maxStreamsPerConnection },
  maxSessionInvalidFrames: 100,
} as const;

function secureServer({ handle, idleTimeoutMs }: OnePortOptions, tls: KeyPair): Server {
  const { cert, key } = tls;
  const server = createSecureServer({
    ...http2Options,
    ...http1Options,
    allowHTTP1: true,
    cert,
    key,
  });
  server.on('request', handle);
  server.setTimeout(idleTimeoutMs);
  return server;
}

function plainServer(options: OnePortOptions, sessions: Set<Http2Session>): Server {
  const { handle, idleTimeoutMs } = options;
  const http1 = createHttp1Server({ ...http1Options, keepAliveTimeout: idleTimeoutMs }, handle);
  const http2 = createHttp2Server(http2Options, handle);
  http2.on('session', (session) => track(sessions, session));
  http2.on('sessionError', () => undefined);
  const server = createServer({ noDelay: true });
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy());
    void detectHttp2(socket).then((isHttp2) => {
      if (isHttp2 === undefined) socket.destroy();
      else (isHttp2 ? http2 : http1).emit('connection', socket);
    });
  });
  return server;
}

/** Reads the first bytes and puts them back; undefined when the connection ends before it can tell. */
function detectHttp2(socket: Socket): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(undefined), firstBytesTimeoutMs);
    const finish = (isHttp2: boolean | undefined): void => {
      clearTimeout(timer);
      socket.off('readable', inspect).off('close', onClose);
      resolve(isHttp2);
    };
    const onClose = (): void => finish(undefined);
    const inspect = (): void => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      socket.unshift(bytes);
      const start = bytes.toString('latin1', 0, preface.length);
      if (start === preface || !preface.startsWith(start)) finish(start === preface);
    };
    socket.on('readable', inspect).on('close', onClose);
  });
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
