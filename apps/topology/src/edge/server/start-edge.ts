import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '@daycare/api';
import { KeyedSlots, waitUntil } from '@daycare/async';
import { subscriberOf, type Logger } from '@daycare/rpc';
import type { Admission, Admit, Visit } from '../admission/admit';
import type { Visitors } from '../admission/visitors';
import type { EdgeMetrics } from './edge-metrics';
import type { ExchangeDeps } from '../proxy/exchange';
import { proxyRequest } from '../proxy/proxy-request';
import { isWebSocket, proxyUpgrade } from '../proxy/proxy-upgrade';
import { receiveWebhook, type ReceiveWebhookDeps } from '../webhooks/receive-webhook';
import { refuse, refuseRaw, Refusal } from '../refusal';
import { PendingResponses } from './pending-responses';

export interface EdgeDeps extends ExchangeDeps, ReceiveWebhookDeps {
  readonly admit: Admit;
  readonly visitors: Visitors;
  readonly metrics: EdgeMetrics;
  readonly log: Logger;
}

export interface Edge {
  /** In the form host:port. */
  readonly address: string;
  /** Stops accepting connections; requests in progress continue. */
  stopAccepting(): void;
  /** Resolves when nothing is in progress; disconnects whatever is left after the timeout. */
  drain(timeoutMs: number): Promise<void>;
}

interface ServeDeps extends EdgeDeps {
  /** The connections and forwarded requests of each visitor. */
  readonly slots: KeyedSlots;
}

/** Serves `/e/<endpointId>/…` on a separate address. */
export async function startEdge(listen: string, deps: EdgeDeps): Promise<Edge> {
  const { headersTimeoutMs, requestTimeoutMs, idleTimeoutMs, connections } = deps.limits;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // With this interval, a connection is closed at most a quarter of the headers timeout late.
    connectionsCheckingInterval: Math.ceil(headersTimeoutMs / 4),
    insecureHTTPParser: false,
    keepAlive: true,
    keepAliveInitialDelay: idleTimeoutMs,
    noDelay: true,
  });
  server.maxConnections = connections;
  server.timeout = idleTimeoutMs;
  const slots = new KeyedSlots(deps.limits.connectionsPerAddress);
  serveVisitors(server, { ...deps, slots });
  limitConnections(server, { ...deps, slots });
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

/**
 * Serves visitors, but closes connections with pipelined requests, because Node emits no event for a request that is
 * still queued on its connection when the connection closes.
 */
function serveVisitors(server: Server, deps: ServeDeps): void {
  const pending = new PendingResponses();
  const disconnect = (socket: Duplex): void => {
    deps.metrics.observe('bad_request');
    socket.destroy();
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (pending.add(response)) void serveRequest(deps, request, response);
    else disconnect(request.socket);
  };
  server.on('request', serve).on('checkContinue', serve);
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    if (pending.has(socket)) disconnect(socket);
    else void serveUpgrade(deps, request, socket as Socket, head);
  });
  server.on('clientError', (error, socket) => {
    if (pending.hasBegun(socket)) disconnect(socket);
    else refuseBadRequest(error, socket);
  });
}

async function serveRequest(
  deps: ServeDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    countForwarded(deps, request, response);
    const admission = await deps.admit(visitOf(deps, request));
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
  deps: ServeDeps,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const destroy = (): void => void socket.destroy();
  socket.on('error', destroy);
  socket.setTimeout(deps.limits.idleTimeoutMs, destroy);
  try {
    if (!isWebSocket(request)) throw new Refusal(400, 'bad_request');
    countForwarded(deps, request, socket);
    const admission = await deps.admit(visitOf(deps, request));
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

function visitOf({ visitors }: EdgeDeps, request: IncomingMessage): Visit {
  const { url = '', headers } = request;
  return { url, address: visitors.addressOf(request), headers };
}

/** An unexpected error is logged, but not revealed to the visitor. */
function toRefusal(thrown: unknown, { metrics, log }: EdgeDeps): Refusal {
  const refusal =
    thrown instanceof Refusal ? thrown : new Refusal(500, 'unavailable', {}, { cause: thrown });
  if (refusal.reason === 'unavailable') log.error({ err: refusal.cause }, 'edge request failed');
  metrics.observe(refusal.reason);
  return refusal;
}

/** Responds to a request that is malformed, too slow or too large to be parsed. */
function refuseBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const statuses: Record<string, number> = {
    ERR_HTTP_REQUEST_TIMEOUT: 408,
    HPE_HEADER_OVERFLOW: 431,
  };
  refuseRaw(socket, new Refusal(statuses[error.code ?? ''] ?? 400, 'bad_request'));
}

/**
 * Limits the connections of each address, including those on which no request is sent, so that one visitor cannot use
 * up all of them. A proxy's connections carry the requests of many visitors; `countForwarded` counts these requests
 * instead.
 */
function limitConnections(server: Server, { visitors, slots }: ServeDeps): void {
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    if (visitors.isProxy(remoteAddress)) return;
    const slot = slots.slotFor(subscriberOf(remoteAddress));
    if (slot.tryTake()) socket.once('close', slot.release);
    else socket.destroy();
  });
}

/** Counts a request that a proxy forwards as a connection of its visitor, until it is `closed`. */
function countForwarded(
  { visitors, slots }: ServeDeps,
  request: IncomingMessage,
  closed: ServerResponse | Duplex,
): void {
  const address = visitors.addressOf(request);
  // Without a forwarded address, all visitors of the proxy would share one limit; only the total limits them then.
  if (!visitors.isProxy(request.socket.remoteAddress ?? '') || visitors.isProxy(address)) return;
  const slot = slots.slotFor(subscriberOf(address));
  if (!slot.tryTake()) throw new Refusal(503, 'busy', { 'retry-after': '1' });
  closed.once('close', slot.release);
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

async function drain(
  server: Server,
  { openExchanges }: EdgeDeps,
  timeoutMs: number,
): Promise<void> {
  await waitUntil(() => openExchanges.size === 0, timeoutMs);
  openExchanges.closeAll();
  server.closeAllConnections();
}
