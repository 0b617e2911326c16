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
  /** What does not work although calls are accepted. */
  readonly listConditions: () => readonly string[];
}

export interface HttpServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Serves /metrics, /livez (whether the process runs) and /readyz (whether it accepts calls, and what it cannot do). */
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
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    if (request.method !== 'GET') return answer(405, 'method not allowed\n');
    if (request.url === '/livez') return answer(200, 'ok\n');
    if (request.url === '/readyz')
      return isServing()
        ? answer(200, ['ok', ...listConditions(), ''].join('\n'))
        : answer(
            503,
            listPending()
              .map((what) => `waiting for ${what}\n`)
              .join('') || 'stopping\n',
          );
    if (request.url !== '/metrics') return answer(404, 'not found\n');
    registry.metrics().then(
      (text) => answer(200, text, registry.contentType),
      () => answer(500, 'cannot collect metrics\n'),
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
