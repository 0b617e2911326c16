import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** A program to use as an endpoint's target. */
export interface TestTarget {
  readonly port: number;
  /** The requests it received, in order; their bodies may not have arrived completely. */
  readonly seen: IncomingMessage[];
  readonly close: () => Promise<void>;
}

export async function startTarget(
  listener: RequestListener,
  unixPath?: string,
  prepare?: (server: Server) => void,
): Promise<TestTarget> {
  const seen: IncomingMessage[] = [];
  const server = createServer((incoming, response) => {
    seen.push(incoming);
    listener(incoming, response);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  prepare?.(server);
  server.listen(unixPath ?? { port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const port = unixPath === undefined ? (server.address() as AddressInfo).port : 0;
  const close = async (): Promise<void> => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
    await once(server, 'close');
  };
  return { port, seen, close };
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly localAddress?: string;
}

/** Sends a request and returns the response. */
export async function ask(
  port: number,
  path: string,
  options: AskOptions = {},
): Promise<ReceivedResponse> {
  const { body, ...rest } = options;
  const outgoing = request({ host: '127.0.0.1', port, path, agent: false, ...rest });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await textOf(response),
  };
}

export async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A connection for sending arbitrary bytes. */
export class RawClient {
  readonly socket: Socket;
  #received = '';

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk: string) => (this.#received += chunk));
    this.socket.on('error', () => undefined);
  }

  get received(): string {
    return this.#received;
  }

  get isEnded(): boolean {
    return this.socket.readableEnded || this.socket.destroyed;
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }
}
