import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { requestHeaders, responseHeaders, type Forwarding } from '../domain/proxy-headers';
import type { Admission } from './admit';
import { targetDown } from './connect-target';
import { begin, forwardingOf, openRequest, type ExchangeDeps } from './exchange';
import { bodyHeaders, forwardBody, tooLarge } from './forward-body';
import { Refusal } from './refusal';

/**
 * Carries one request to the target and the answer back, both as they come. Resolves once the answer is
 * through; throws a Refusal while nothing of it was sent, and cuts the connection after that.
 */
export async function proxyRequest(
  deps: ExchangeDeps,
  admission: Admission,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { limits } = deps;
  const framing = bodyHeaders(request, limits.maxBodyBytes);
  const end = begin(deps, admission, () => request.socket.destroy());
  try {
    const { socket, host } = await deps.connectTarget(admission.endpoint);
    if (response.destroyed) return void socket.destroy();
    const forwarding = forwardingOf(deps, admission, host);
    const target = openRequest(socket, {
      method: request.method,
      path: admission.rest,
      headers: [...requestHeaders(request.rawHeaders, forwarding), ...framing],
    });
    await carry(deps, { request, response, target, forwarding });
  } finally {
    end();
  }
}

interface Carried {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: ClientRequest;
  readonly forwarding: Forwarding;
}

function carry({ limits }: ExchangeDeps, carried: Carried): Promise<void> {
  const { request, response, target, forwarding } = carried;
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
    target.once('finish', () => awaitAnswer(target, limits.responseTimeoutMs, fail));
    target.once('response', (answer) => {
      answer.once('error', (cause) => fail(targetDown(cause)));
      sendAnswer(answer, response, forwarding, fail);
    });
    forwardBody(request, target, limits.maxBodyBytes, () => fail(tooLarge()));
    // The target waits for no permission, and neither does the visitor from here on.
    if (request.headers.expect !== undefined) response.writeContinue();
  });
}

function awaitAnswer(target: ClientRequest, ms: number, fail: (refusal: Refusal) => void): void {
  const timer = setTimeout(() => fail(targetTimeout()), ms);
  target.once('response', () => clearTimeout(timer));
  target.once('close', () => clearTimeout(timer));
}

function sendAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
  fail: (refusal: Refusal) => void,
): void {
  try {
    response.writeHead(answer.statusCode ?? 502, responseHeaders(answer.rawHeaders, forwarding));
  } catch (cause) {
    return fail(targetDown(cause));
  }
  response.flushHeaders();
  answer.pipe(response);
}

function targetTimeout(): Refusal {
  return new Refusal(504, 'target_timeout');
}
