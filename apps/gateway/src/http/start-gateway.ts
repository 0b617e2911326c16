import { Code, ConnectError } from '@connectrpc/connect';
import type { AppError } from '@daycare/api';
import { waitUntil } from '@daycare/async';
import {
  isOverLimit,
  type CallOutcome,
  type ClientAddress,
  type FloodGuard,
  type Logger,
  type RpcServer,
} from '@daycare/rpc';
import { logRenewals } from '@daycare/service-kit';
import type { CallOrigin } from '../rpc/call-origin';
import { pathOf, respond, type GatewayRequest, type GatewayResponse } from './gateway-request';
import { holdBack } from './hold-back';
import type { HttpConfig } from './http-config';
import { openPort, type OnePort } from './one-port';
import { enterRequest } from './enter-request';
import { refuseRpc } from './refuse-rpc';
import type { RequestGate } from './request-gate';
import { requestedDeadline } from './requested-deadline';
import { setCommonHeaders } from './response-headers';

/** Handles requests to one path. */
export type Route = (
  request: GatewayRequest,
  response: GatewayResponse,
  origin: CallOrigin,
) => Promise<void>;

export interface GatewayDeps {
  readonly listen: string;
  readonly http: HttpConfig;
  readonly gate: RequestGate;
  /** Slows connections on which many requests are refused. */
  readonly floodGuard: FloodGuard;
  readonly clientAddress: ClientAddress;
  readonly isProxy: (address: string) => boolean;
  /** RPCs by path. */
  readonly rpcs: ReadonlyMap<string, Route>;
  /** The paths of RPCs to which a client may keep sending messages for any length of time. */
  readonly requestStreams: ReadonlySet<string>;
  /** Finds the route for any other path; undefined if there is none. */
  readonly findRoute: (path: string) => Route | undefined;
  /** Finds the token to forward for requests that carry no token or a personal access token. */
  readonly authorise: (
    request: GatewayRequest,
    response: GatewayResponse,
    origin: CallOrigin,
  ) => CallOrigin | Promise<CallOrigin>;
  readonly observe: (outcome: CallOutcome) => void;
  readonly log: Logger;
}

const timeouts = {
  firstBytesMs: 10_000,
  requestMs: 600_000,
  idleMs: 75_000,
  lingerMs: 2_000,
} as const;

/** Serves RPCs and routes until drained. */
export async function startGateway(deps: GatewayDeps): Promise<RpcServer> {
  const { listen, http, gate, isProxy } = deps;
  const openResponses = new Set<GatewayResponse>();
  const port = await openPort({
    listen,
    tls: http.tls,
    timeouts,
    maxConnections: http.limits.connections,
    admit: (address) => (isProxy(address) ? () => undefined : gate.connect(address)),
    handle(request, response) {
      openResponses.add(response);
      response.once('close', () => openResponses.delete(response));
      serve(deps, request, response);
    },
    isOpenEnded: (path) => deps.requestStreams.has(path),
  });
  logRenewals(deps.log, 'TLS of visitors', http.tls?.renewals);
  return {
    address: port.address,
    drain(graceMs) {
      port.stopAccepting();
      deps.floodGuard.sendHeldRefusals();
      return drain(port, openResponses, graceMs);
    },
  };
}

function serve(deps: GatewayDeps, request: GatewayRequest, response: GatewayResponse): void {
  const rules = { origins: deps.http.origins, isSecure: deps.http.tls !== undefined };
  if (setCommonHeaders(request, response, rules)) return;
  const { origin, release } = enterRequest(request, deps);
  response.once('close', release);
  response.setHeader('x-request-id', origin.requestId);
  dispatch(deps, request, response, origin).catch((err: unknown) => {
    const path = pathOf(request);
    const { requestId } = origin;
    if (!isDisconnect(err)) deps.log.warn({ err, path, requestId }, 'request failed');
    if (!response.writableEnded) response.destroy();
  });
}

async function dispatch(
  deps: GatewayDeps,
  request: GatewayRequest,
  response: GatewayResponse,
  entered: CallOrigin,
): Promise<void> {
  const receivedAtMs = Date.now();
  const authorised = deps.authorise(request, response, entered);
  const origin = authorised instanceof Promise ? await authorised : authorised;
  const path = pathOf(request);
  const rpc = deps.rpcs.get(path);
  if (rpc && origin.refusal) {
    if (!isOverLimit(origin.refusal)) return refuse(deps, request, response, origin.refusal);
    const deadline = requestedDeadline(request, receivedAtMs);
    const refusal = await holdBack(deps.floodGuard, request, origin.refusal, deadline);
    return hasDisconnected(response) ? undefined : refuse(deps, request, response, refusal);
  }
  const route = rpc ?? deps.findRoute(path);
  return route ? route(request, response, origin) : notFound(response);
}

/** Reports whether the client has disconnected. A response over HTTP/2 has no `destroyed`, but its stream has. */
function hasDisconnected(response: GatewayResponse): boolean {
  return 'stream' in response ? response.stream.destroyed : response.destroyed;
}

/** Refuses a call without reading its message, so that clients beyond their limits cost no memory. */
function refuse(
  { observe }: GatewayDeps,
  request: GatewayRequest,
  response: GatewayResponse,
  refusal: AppError,
): void {
  const [, service = '', method = ''] = pathOf(request).split('/');
  observe({ service, method, code: refusal.code, durationMs: 0 });
  refuseRpc(request, response, refusal);
}

async function notFound(response: GatewayResponse): Promise<void> {
  respond(response, 404, 'not found\n');
}

/** Reports whether an error means that the client has disconnected, so there is nothing to log. */
function isDisconnect(error: unknown): boolean {
  const { code } = ConnectError.from(error);
  return code === Code.Aborted || code === Code.Canceled;
}

/**
 * Waits until every response has been sent, including refusals, which the gate does not count, or until the grace
 * period ends. Then closes all connections.
 */
async function drain(
  port: OnePort,
  openResponses: ReadonlySet<GatewayResponse>,
  graceMs: number,
): Promise<void> {
  await waitUntil(() => openResponses.size === 0, graceMs);
  port.destroy();
}
