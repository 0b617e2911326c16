import { afterEach } from '@jest/globals';
import {
  Server,
  ServerCredentials,
  type Metadata,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { toAppError } from '@daycare/api';
import { toGrpcStatus } from '@daycare/rpc';
import type { ConnectOptions, Daycare } from '../connect';
import { connect } from '../node';
import { services, type Method, type ServiceKey } from '../transport/transport';

// oxlint-disable-next-line typescript/no-explicit-any -- each RPC has its own types of messages
type Answer = (request: any, metadata: Metadata) => unknown;

/**
 * How to answer each RPC: return a response or an iterable of responses, or throw. All other RPCs are UNIMPLEMENTED.
 */
export type Answers = Partial<Record<ServiceKey, Readonly<Record<string, Answer>>>>;

interface ServerCall {
  readonly request: unknown;
  readonly metadata: Metadata;
  write(response: unknown): boolean;
  end(): void;
  emit(event: 'error', error: unknown): unknown;
}
type Done = (error: unknown, response?: unknown) => void;

const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

/**
 * Starts a server in this process that speaks the real protocol; returns a client that is connected to it. Both are
 * closed after the test.
 */
export async function connectTo(
  answers: Answers,
  options: Omit<ConnectOptions, 'url'> = { token: 'some token' },
): Promise<Daycare> {
  const server = new Server();
  for (const [key, handlers] of Object.entries(answers)) {
    const contract = services[key as ServiceKey] as Readonly<Record<string, Method>>;
    const methods = Object.keys(handlers).map((name) => [name, contract[name]!] as const);
    const implemented = methods.map(([name, method]) => [name, implement(method, handlers[name]!)]);
    const implementation = Object.fromEntries(implemented) as UntypedServiceImplementation;
    server.addService(Object.fromEntries(methods) as never, implementation);
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const daycare = connect({ url: `http://127.0.0.1:${port}`, ...options });
  cleanups.push(() => (daycare.close(), server.forceShutdown()));
  return daycare;
}

function implement({ requestStream, responseStream }: Method, answer: Answer) {
  if (responseStream) return (call: ServerCall) => void stream(call, answer);
  return (call: ServerCall & AsyncIterable<unknown>, done: Done) =>
    void respond(requestStream ? call : call.request, call.metadata, answer).then(
      (response) => done(null, response),
      (error: unknown) => done(toGrpcStatus(toAppError(error))),
    );
}

async function respond(request: unknown, metadata: Metadata, answer: Answer): Promise<unknown> {
  return answer(request, metadata);
}

async function stream(call: ServerCall, answer: Answer): Promise<void> {
  try {
    const responses = answer(call.request, call.metadata) as AsyncIterable<unknown>;
    for await (const response of responses) call.write(response);
    call.end();
  } catch (error) {
    call.emit('error', toGrpcStatus(toAppError(error)));
  }
}

/** Collects everything that a list yields. */
export async function readAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}
