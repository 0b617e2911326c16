import { UploadFileResponse } from '@daycare/contracts/agent-runtime';
import { DaycareError } from './daycare-error';
import { readEnvelopes, wrapEnvelope } from './connect-envelopes';
import { toDaycareError, type ConnectFailure } from './connect-failure';
import {
  defaultTimeoutMs,
  uploadTimeoutMs,
  type Method,
  type SentOptions,
  type Transport,
  type Upload,
} from './transport';

/**
 * How long to wait for a response after a call's timeout. The gateway enforces the timeout, but its response may never
 * arrive.
 */
const defaultMarginMs = 5_000;

type Headers = Readonly<Record<string, string>>;

interface Gateway {
  readonly base: string;
  readonly headers: Headers;
}

interface Post {
  readonly url: string;
  readonly type: string;
  readonly body: Uint8Array;
  readonly timeoutMs?: number | undefined;
  readonly headers: Headers;
}

export interface FetchTransportOptions {
  /** Sent with every request. */
  readonly headers?: Headers;
  readonly marginMs?: number;
}

/** Makes calls through the gateway with `fetch` alone: RPCs over the Connect protocol, uploads as `POST /files`. */
export function createFetchTransport(
  baseUrl: string,
  { headers = {}, marginMs = defaultMarginMs }: FetchTransportOptions = {},
): Transport {
  const gateway = { base: baseUrl.replace(/\/+$/, ''), headers };
  return {
    async unary(method, request, options) {
      const body = method.requestSerialize(request);
      const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
      const url = gateway.base + method.path;
      return withinMs(timeoutMs + marginMs, options, async (sent) => {
        const response = await post(
          { url, type: 'application/proto', body, timeoutMs, headers },
          sent,
        );
        return method.responseDeserialize(new Uint8Array(await bytesOf(response)));
      });
    },
    stream: (method, request, options) => readStream(gateway, method, request, options),
    upload: (file, options) =>
      withinMs((options.timeoutMs ?? uploadTimeoutMs) + marginMs, options, (sent) =>
        upload(gateway, file, sent),
      ),
    close: () => undefined,
  };
}

/** Makes a call, and aborts it if it takes longer than `ms`. */
async function withinMs(
  ms: number,
  options: SentOptions,
  call: (options: SentOptions) => Promise<unknown>,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(ms);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    return await call({ ...options, signal });
  } catch (error) {
    if (options.signal?.aborted) throw cancelled();
    throw timeout.aborted ? timedOut() : error;
  }
}

async function* readStream(
  { base, headers }: Gateway,
  method: Method,
  request: unknown,
  options: SentOptions,
): AsyncGenerator {
  const body = wrapEnvelope(method.requestSerialize(request));
  const type = 'application/connect+proto';
  const url = base + method.path;
  const stopReading = new AbortController();
  const signal = options.signal
    ? AbortSignal.any([options.signal, stopReading.signal])
    : stopReading.signal;
  try {
    const { timeoutMs } = options;
    const response = await post({ url, type, body, timeoutMs, headers }, { ...options, signal });
    for await (const { isEnd, bytes } of readEnvelopes(chunksOf(response))) {
      if (!isEnd) yield method.responseDeserialize(bytes);
      else return throwIfFailed(bytes);
    }
    throw disconnected();
  } catch (error) {
    throw options.signal?.aborted ? cancelled() : toDisconnect(error);
  } finally {
    stopReading.abort();
  }
}

function throwIfFailed(end: Uint8Array): void {
  const { error } = JSON.parse(new TextDecoder().decode(end)) as { error?: ConnectFailure };
  if (error) throw toDaycareError(error);
}

async function upload(gateway: Gateway, file: Upload, options: SentOptions): Promise<unknown> {
  const { name, type, bytes: body, requestId, sha256 } = file;
  const query = new URLSearchParams({ name, ...(sha256 && { sha256 }) });
  const url = `${gateway.base}/files?${query.toString()}`;
  const headers = { ...gateway.headers, 'x-request-id': requestId };
  const response = await post({ url, type, body, headers }, options);
  return UploadFileResponse.fromJSON(JSON.parse(new TextDecoder().decode(await bytesOf(response))));
}

async function post(
  { url, type, body, timeoutMs, headers }: Post,
  { authorization, signal }: SentOptions,
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      body: body as Uint8Array<ArrayBuffer>,
      headers: {
        'content-type': type,
        'connect-protocol-version': '1',
        ...(timeoutMs !== undefined && { 'connect-timeout-ms': String(timeoutMs) }),
        ...(authorization !== undefined && { authorization }),
        ...headers,
      },
      ...(signal && { signal }),
    });
  } catch (error) {
    throw signal?.aborted ? cancelled() : toDisconnect(error);
  }
  if (response.ok) return response;
  throw toDaycareError(await failureOf(response));
}

async function failureOf(response: Response): Promise<ConnectFailure> {
  const message = `The gateway responded with status ${response.status}`;
  const fallback = { code: response.status >= 500 ? 'unavailable' : 'unimplemented', message };
  try {
    return { ...fallback, ...((await response.json()) as ConnectFailure) };
  } catch {
    return fallback;
  }
}

async function bytesOf(response: Response): Promise<ArrayBuffer> {
  try {
    return await response.arrayBuffer();
  } catch (error) {
    throw toDisconnect(error);
  }
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) return;
    yield next.value as Uint8Array;
  }
}

function toDisconnect(error: unknown): unknown {
  return error instanceof DaycareError ? error : disconnected();
}

function disconnected(): DaycareError {
  const message = 'The connection to the gateway was lost';
  return new DaycareError({ code: 'UNAVAILABLE', message, details: {} });
}

function cancelled(): DaycareError {
  return new DaycareError({ code: 'CANCELLED', message: 'The call was cancelled', details: {} });
}

function timedOut(): DaycareError {
  const message = 'The gateway did not respond in time';
  return new DaycareError({ code: 'DEADLINE_EXCEEDED', message, details: {} });
}
