import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '@daycare/errors';
import type { Logger } from '@daycare/rpc';
import type { Admission, Admit } from './admit';
import type { EdgeMetrics } from './edge-metrics';
import type { ExchangeDeps } from './exchange';
import { proxyRequest } from './proxy-request';
import { isWebSocket, proxyUpgrade } from './proxy-upgrade';
import { receiveWebhook, type WebhookDeps } from './receive-webhook';
import { refuse, refuseRaw, Refusal } from './refusal';
import { Unanswered } from './unanswered';
import { addressKey, visitorAddress } from './visitor-address';

export interface EdgeDeps extends ExchangeDeps, WebhookDeps {
  readonly admit: Admit;
  readonly metrics: EdgeMetrics;
  readonly log: Logger;
}

export interface Edge {
  /** host:port. */
  readonly address: string;
  /** Takes no new connections; what is under way goes on. */
  stopAccepting(): void;
  /** Resolves when nothing is under way, after so long at the latest: then the rest is cut. */
  drain(timeoutMs: number): Promise<void>;
}

const checkEveryMs = 500;

/** Serves `/e/<endpointId>/…` on an address of its own. */
export async function startEdge(listen: string, deps: EdgeDeps): Promise<Edge> {
  const { headersTimeoutMs, requestTimeoutMs, idleTimeoutMs, connections } = deps.limits;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(checkEveryMs, headersTimeoutMs),
    insecureHTTPParser: false,
    keepAlive: true,
    keepAliveInitialDelay: idleTimeoutMs,
    noDelay: true,
  });
  server.maxConnections = connections;
  server.timeout = idleTimeoutMs;
  serveVisitors(server, deps);
  limitConnections(server, deps.limits.connectionsPerAddress);
  const address = await startListening(server, listen);
  return {
    address,
    stopAccepting() {
      server.close();
      server.closeIdleConnections();
    },
    drain: (timeoutMs) => drain(server, deps, timeoutMs),
  };
}

/** Who asks again before the answer is cut off: what is queued behind it would hear of no end of the connection. */
function serveVisitors(server: Server, deps: EdgeDeps): void {
  const unanswered = new Unanswered();
  const cut = (socket: Duplex): void => {
    deps.metrics.observe('bad_request');
    socket.destroy();
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (unanswered.add(response)) void serveRequest(deps, request, response);
    else cut(request.socket);
  };
  server.on('request', serve).on('checkContinue', serve);
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    if (unanswered.has(socket)) cut(socket);
    else void serveUpgrade(deps, request, socket as Socket, head);
  });
  server.on('clientError', (error, socket) => {
    if (unanswered.isBegun(socket)) cut(socket);
    else answerBadRequest(error, socket);
  });
}

async function serveRequest(
  deps: EdgeDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const admission = await deps.admit(visitOf(request));
    if (response.destroyed) return;
    const { target } = admission.endpoint;
    if (target.kind === 'agent')
      await receiveWebhook(deps, { ...admission, agentId: target.agentId }, request, response);
    else await proxyRequest(deps, admission, request, response);
    deps.metrics.observe('served');
  } catch (thrown) {
    const refusal = toRefusal(thrown, deps);
    if (response.headersSent) response.destroy();
    else if (!response.destroyed) refuse(request, response, refusal);
  }
}

async function serveUpgrade(
  deps: EdgeDeps,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const ended = (): void => void socket.destroy();
  socket.on('error', ended);
  socket.setTimeout(deps.limits.idleTimeoutMs, ended);
  try {
    if (!isWebSocket(request)) throw new Refusal(400, 'bad_request');
    const admission = await deps.admit(visitOf(request));
    if (socket.destroyed) return;
    refuseWebhook(admission);
    await proxyUpgrade(deps, admission, { request, socket, head });
    deps.metrics.observe('served');
  } catch (thrown) {
    refuseRaw(socket, toRefusal(thrown, deps));
  }
}

function refuseWebhook({ endpoint }: Admission): void {
  if (endpoint.target.kind === 'agent') throw new Refusal(405, 'unsupported', { allow: 'POST' });
}

function visitOf({ url = '', socket, headers }: IncomingMessage) {
  const address = visitorAddress(socket.remoteAddress);
  return { url, address, authorization: headers.authorization };
}

/** What nobody foresaw is logged and told to the visitor without a word of it. */
function toRefusal(thrown: unknown, { metrics, log }: EdgeDeps): Refusal {
  const refusal =
    thrown instanceof Refusal ? thrown : new Refusal(500, 'unavailable', {}, { cause: thrown });
  if (refusal.reason === 'unavailable')
    log.error({ err: refusal.cause }, 'a request at the edge failed');
  metrics.observe(refusal.reason);
  return refusal;
}

/** What is not HTTP, or too slow or too long to be let in. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const statuses: Record<string, number> = {
    ERR_HTTP_REQUEST_TIMEOUT: 408,
    HPE_HEADER_OVERFLOW: 431,
  };
  refuseRaw(socket, new Refusal(statuses[error.code ?? ''] ?? 400, 'bad_request'));
}

/** One visitor cannot take all the connections there are, not even without saying a word. */
function limitConnections(server: Server, mostPerAddress: number): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const key = addressKey(visitorAddress(socket.remoteAddress));
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    socket.once('close', () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    });
    if (count > mostPerAddress) socket.destroy();
  });
}

function startListening(server: Server, listen: string): Promise<string> {
  const separator = listen.lastIndexOf(':');
  const host = listen.slice(0, separator);
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const text = `cannot listen on ${listen} (DAYCARE_EDGE_LISTEN): ${cause.message}`;
      reject(new AppError('FAILED_PRECONDITION', text, {}, { cause }));
    });
    server.listen(Number(listen.slice(separator + 1)), host.replace(/^\[|\]$/g, ''), () =>
      resolve(`${host}:${(server.address() as AddressInfo).port}`),
    );
  });
}

async function drain(server: Server, { open }: EdgeDeps, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (open.size > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
  open.cutAll();
  server.closeAllConnections();
}
