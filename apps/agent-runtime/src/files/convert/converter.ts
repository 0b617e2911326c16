import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FairSemaphore } from '../../shared/concurrency/fair-semaphore';
import type { Conversion } from '../domain/conversion';
import { limitMemory } from './limit-memory';

export interface ConverterOptions {
  /** The path of the program. */
  readonly program: string;
  readonly timeoutMs?: number;
  readonly log: { warn(fields: object, text: string): void };
}

/** The maximum number of concurrent conversions in this replica. */
const maxRunning = 2;
const maxRunningPerOwner = 1;
const defaultTimeoutMs = 20_000;
/** Larger than any valid result. */
const maxResultBytes = 8 * 1_048_576;
const maxHeapMegabytes = 256;
/**
 * The limit for all resident memory, because the heap limit does not count decompressed data. A photo of
 * 48 megapixels needs 120 MB; a PDF may fill the heap and use as much again outside it. Two conversions
 * must leave enough memory for the service.
 */
const maxResidentBytes = 512 * 1_048_576;

/** A file to convert. */
export interface ConvertedFile {
  readonly file: { readonly id: string };
  readonly chunks: AsyncIterable<Uint8Array>;
}

export type Converter = ReturnType<typeof makeConverter>;

/**
 * Converts files, each in a separate process that is killed when it takes too long or uses too much memory. The process
 * has an empty environment, but runs as the service's user: the limits protect against decoders that crash or hang, not
 * against files that exploit a decoder to run code. Resolves to undefined when the conversion fails, but rejects when
 * the file cannot be read from the store.
 */
export function makeConverter({ program, timeoutMs = defaultTimeoutMs, log }: ConverterOptions) {
  const slots = new FairSemaphore(maxRunning, maxRunningPerOwner);
  return async (
    ownerUserId: string,
    conversion: Conversion,
    { file, chunks }: ConvertedFile,
  ): Promise<Buffer | undefined> => {
    await slots.acquire(ownerUserId);
    try {
      return await run(program, conversion, chunks, timeoutMs);
    } catch (err) {
      if (err instanceof SourceError) throw err.cause;
      const fields = { err, kind: conversion.kind, fileId: file.id };
      log.warn(
        fields,
        'file conversion failed; the image is not shown to the model, or the PDF is returned as base64 instead of text',
      );
      return undefined;
    } finally {
      slots.release(ownerUserId);
    }
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

async function run(
  program: string,
  conversion: Conversion,
  source: AsyncIterable<Uint8Array>,
  timeoutMs: number,
): Promise<Buffer> {
  // The program kills itself after twice the timeout, in case the service has died.
  const job = [JSON.stringify(conversion), `${2 * timeoutMs}`];
  const args = [`--max-old-space-size=${maxHeapMegabytes}`, program, ...job];
  const child = spawn(process.execPath, args, { cwd: '/', env: {}, stdio: 'pipe' });
  let reason: string | undefined;
  const end = (why: string): void => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => end('it took too much time'), timeoutMs);
  const onExceeded = (): void => end('it used too much memory');
  const stopMonitoring = limitMemory(child, { maxBytes: maxResidentBytes, onExceeded });
  try {
    const ended = once(child, 'close') as Promise<[number | null, string | null]>;
    const [result, problem, [code, signal]] = await Promise.all([
      readAll(child.stdout, child),
      readAll(child.stderr, child),
      ended,
      feed(child, source),
    ]);
    if (code !== 0)
      throw new Error(
        `the converter ended with ${signal ?? code}: ${reason ?? problem.toString()}`,
      );
    return result;
  } finally {
    clearTimeout(timer);
    stopMonitoring();
    child.kill('SIGKILL');
  }
}

/** The file could not be read from the store; its content is not the cause. */
class SourceError extends Error {}

/**
 * Writes the source to the program. Write errors are ignored: a program that ends early does not read all of its
 * input.
 */
async function feed(child: Child, source: AsyncIterable<Uint8Array>): Promise<void> {
  let failure: unknown;
  const monitoredSource = async function* () {
    try {
      yield* source;
    } catch (error) {
      failure = error ?? new Error('the source failed');
      throw error;
    }
  };
  await pipeline(monitoredSource, child.stdin).catch(() => undefined);
  if (failure === undefined) return;
  child.kill('SIGKILL');
  throw new SourceError('the file cannot be read', { cause: failure });
}

async function readAll(stream: Readable, child: Child): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxResultBytes) child.kill('SIGKILL');
    else chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
