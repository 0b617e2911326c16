import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import {
  requestHeaders,
  responseHeaders,
  type Forwarding,
} from '../../domain/endpoints/proxy-headers';
import type { Admission } from '../admission/admit';
import { targetDown } from './connect-target';
import { beginExchange, forwardingOf, openRequest, type ExchangeDeps } from './exchange';
import { bodyHeaders, forwardBody, tooLarge } from './forward-body';
import { Refusal } from '../refusal';

/**
 * Streams one request to the target and its response back. Resolves once the response is complete or the connection to
 * the visitor is closed. A failure throws a Refusal as long as none of the response has been sent; after that it closes
 * the connection.
 */
export async function proxyRequest(
  deps: ExchangeDeps,
  admission: Admission,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { limits } = deps;
  const framing = bodyHeaders(request, limits.maxBodyBytes);
  const end = beginExchange(deps, admission, () => request.socket.destroy());
  try {
    const { socket, host } = await deps.connectTarget(admission.endpoint);
    if (response.destroyed) return void socket.destroy();
    const forwarding = forwardingOf(deps, admission, host);
    const target = openRequest(socket, {
      method: request.method,
      path: admission.rest,
      headers: [...requestHeaders(request.rawHeaders, forwarding), ...framing],
    });
    await streamBoth(deps, { request, response, target, forwarding });
  } finally {
    end();
  }
}

interface ProxiedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: ClientRequest;
  readonly forwarding: Forwarding;
}

function streamBoth({ limits }: ExchangeDeps, proxied: ProxiedRequest): Promise<void> {
  const { request, response, target, forwarding } = proxied;
  return new Promise((resolve, reject) => {
    let isOver = false;
    const fail = (refusal: Refusal): void => {
      if (isOver) return;
      isOver = true;
      target.destroy();
      if (response.headersSent) response.destroy();
      else reject(refusal);
    };
    response.once('close', () => {
      isOver = true;
      target.destroy();
      resolve();
    });
    target.on('error', (cause) => fail(targetDown(cause)));
    target.once('close', () => {
      if (!response.headersSent) fail(targetDown());
    });
    target.setTimeout(limits.idleTimeoutMs, () => fail(targetTimeout()));
    target.once('finish', () => limitResponseTime(target, limits.responseTimeoutMs, fail));
    target.once('response', (targetResponse) => {
      targetResponse.once('error', (cause) => fail(targetDown(cause)));
      sendResponse(targetResponse, response, forwarding, fail);
    });
    forwardBody(request, target, limits.maxBodyBytes, () => fail(tooLarge()));
    // The Expect header is not forwarded, so the edge itself asks the visitor for the body.
    if (request.headers.expect !== undefined) response.writeContinue();
  });
}

function limitResponseTime(
  target: ClientRequest,
  ms: number,
  fail: (refusal: Refusal) => void,
): void {
  const timer = setTimeout(() => fail(targetTimeout()), ms);
  target.once('response', () => clearTimeout(timer));
  target.once('close', () => clearTimeout(timer));
}

function sendResponse(
  targetResponse: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
  fail: (refusal: Refusal) => void,
): void {
  try {
    response.writeHead(
      targetResponse.statusCode ?? 502,
      responseHeaders(targetResponse.rawHeaders, forwarding),
    );
  } catch (cause) {
    return fail(targetDown(cause));
  }
  response.flushHeaders();
  targetResponse.pipe(response);
}

function targetTimeout(): Refusal {
  return new Refusal(504, 'target_timeout');
}
