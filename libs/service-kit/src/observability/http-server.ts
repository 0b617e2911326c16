import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { AppError } from '@daycare/api';

export interface HttpServerOptions {
  readonly listen: string;
  readonly registry: Registry;
  readonly isServing: () => boolean;
  /** What the service is waiting for before it serves. */
  readonly listPending: () => readonly string[];
  /** What is not working, although calls are accepted. */
  readonly listConditions: () => readonly string[];
}

export interface HttpServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Serves /metrics, /livez (whether the process is running) and /readyz (whether it accepts calls, and what fails). */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer(respond(options));
  const separator = options.listen.lastIndexOf(':');
  const host = options.listen.slice(0, separator);
  await listen(server, host, Number(options.listen.slice(separator + 1)));
  const { port } = server.address() as AddressInfo;
  return { address: `${host}:${port}`, close: () => close(server) };
}

function respond(options: HttpServerOptions): RequestListener {
  const { registry, isServing, listPending, listConditions } = options;
  return (request, response) => {
    const send = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    if (request.method !== 'GET') return send(405, 'method not allowed\n');
    if (request.url === '/livez') return send(200, 'ok\n');
    if (request.url === '/readyz')
      return isServing()
        ? send(200, ['ok', ...listConditions(), ''].join('\n'))
        : send(
            503,
            listPending()
              .map((what) => `waiting for ${what}\n`)
              .join('') || 'stopping\n',
          );
    if (request.url !== '/metrics') return send(404, 'not found\n');
    registry.metrics().then(
      (text) => send(200, text, registry.contentType),
      () => send(500, 'cannot collect metrics\n'),
    );
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EADDRINUSE' ? 'the port is in use by another program' : cause.message;
      const text = `cannot listen on ${host}:${port} (DAYCARE_HTTP_LISTEN): ${why}`;
      reject(new AppError('FAILED_PRECONDITION', text, {}, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
