import type { Readable } from 'node:stream';
import { Code, ConnectError } from '@connectrpc/connect';
import { compressedFlag, type Compression } from '@connectrpc/connect/protocol';
import { AppError } from '@daycare/api';
import { headerOf, type GatewayRequest } from '../http/gateway-request';
import { CollectedBytes } from './collected-bytes';
import { EnvelopeSplitter, tooLarge, type Envelope } from './envelopes';

export interface ReadOptions {
  /** The limit for one message. */
  readonly maxBytes: number;
  /** The format of compressed messages; null if the request states none. */
  readonly compression: Compression | null;
  /** Aborted when the sender disconnects. */
  readonly disconnected: AbortSignal;
}

/** Reads a whole body that is not framed. */
export async function readBody(request: GatewayRequest, options: ReadOptions): Promise<Buffer> {
  const { maxBytes, compression } = options;
  const length = headerOf(request, 'content-length');
  if (Number(length) > maxBytes) throw tooLarge(Number(length), maxBytes);
  const collected = new CollectedBytes();
  await readAll(request, options, (bytes) => {
    const size = collected.size + bytes.length;
    if (size > maxBytes) throw tooLarge(size, maxBytes);
    collected.push(bytes);
  });
  if (length !== '' && Number(length) !== collected.size)
    throw new ConnectError(
      `protocol error: promised ${length} bytes, received ${collected.size}`,
      Code.InvalidArgument,
    );
  const { bytes: body } = collected;
  return compression ? toBuffer(await compression.decompress(body, maxBytes)) : body;
}

/** Reads the only message of a call. */
export async function readMessage(request: GatewayRequest, options: ReadOptions): Promise<Buffer> {
  const splitter = new EnvelopeSplitter(options.maxBytes);
  let message: Envelope | undefined;
  await readAll(request, options, (bytes) => {
    for (const envelope of splitter.push(bytes)) {
      if (message) throw protocolError('received extra input message');
      message = envelope;
    }
  });
  splitter.end();
  if (!message) throw protocolError('missing input message');
  return message.flags === 0 ? message.data : unpack(message, options);
}

/** Yields a call's messages as they arrive. */
export async function* readMessages(
  request: GatewayRequest,
  options: ReadOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const splitter = new EnvelopeSplitter(options.maxBytes);
  // The stream that is read here must stay open, because the response is sent on it.
  const chunks = (request as Readable).iterator({ destroyOnReturn: false });
  try {
    for await (const bytes of chunks as AsyncIterable<Buffer>)
      for (const envelope of splitter.push(bytes)) yield await unpack(envelope, options);
  } finally {
    // The iterator has paused the request; resuming it discards the rest.
    if (!request.complete) (request as Readable).resume();
  }
  if (wasAborted(request)) throw cancelled();
  splitter.end();
}

/** Calls `take` with all bytes as they arrive. Reading ends with the first error that `take` throws. */
function readAll(
  request: GatewayRequest,
  { disconnected }: ReadOptions,
  take: (bytes: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      request.off('data', onData).off('end', onEnd);
      reject(error);
    };
    const onData = (bytes: Buffer): void => {
      try {
        take(bytes);
      } catch (error) {
        fail(error as Error);
      }
    };
    // A request that its sender has reset also emits `end`, although it is incomplete.
    const onEnd = (): void => (wasAborted(request) ? fail(cancelled()) : resolve());
    if (disconnected.aborted) return fail(disconnected.reason as Error);
    request.on('error', fail).on('data', onData).once('end', onEnd);
    disconnected.addEventListener('abort', () => fail(disconnected.reason as Error), {
      once: true,
    });
  });
}

async function unpack(
  { flags, data }: Envelope,
  { compression, maxBytes }: ReadOptions,
): Promise<Buffer> {
  if ((flags & ~compressedFlag) !== 0)
    throw new ConnectError('unexpected end flag', Code.InvalidArgument);
  if (flags === 0) return data;
  if (!compression)
    throw new ConnectError(
      'received compressed envelope, but do not know how to decompress',
      Code.Internal,
    );
  return toBuffer(await compression.decompress(data, maxBytes));
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Reports whether the sender aborted the request before it was complete. */
function wasAborted(request: GatewayRequest): boolean {
  return 'stream' in request ? request.stream.aborted : !request.complete;
}

function cancelled(): AppError {
  return new AppError('CANCELLED', 'The call was cancelled');
}

/** Where `rememberFailure` stores the error if reading a stream of requests fails. */
export interface ReadFailure {
  error?: Error;
}

/**
 * Yields the items of a stream. If reading them fails, stores the error in `failure`, because the call that forwards
 * the items fails with a different error.
 */
export async function* rememberFailure<T>(
  items: AsyncIterable<T>,
  failure: ReadFailure,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* items;
  } catch (error) {
    failure.error = error as Error;
    throw error;
  }
}

function protocolError(what: string): ConnectError {
  return new ConnectError(`protocol error: ${what}`, Code.Unimplemented);
}
