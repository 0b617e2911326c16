import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Closes the connection without sending anything else. */
export const disconnect = { ending: 'disconnect' } as const;

/** Neither sends nor closes anything from now on. */
export const hang = { ending: 'hang' } as const;

type Ending = typeof disconnect | typeof hang;

/** A step of a response: bytes to send, a promise to wait for, or an ending. */
export type ReplyStep = string | Uint8Array | { readonly until: Promise<unknown> } | Ending;

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps: readonly ReplyStep[];
}

/** With an ending instead of a reply, no response is sent at all. */
export type ModelServerReply = Reply | Ending;

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect of it
  readonly body: any;
}

/** Returns the reply to a request for which no reply was scripted. */
export type Respond = (request: SeenRequest) => ModelServerReply;

const failUnscripted: Respond = () => ({ status: 500, steps: ['no reply was scripted'] });

/** A fake model provider: answers each request with the next scripted reply or, if there is none, as `respond` says. */
export class ModelServer {
  readonly requests: SeenRequest[] = [];
  readonly #replies: ModelServerReply[] = [];
  readonly #server: Server;
  /** How many times a connection was closed before its response was complete. */
  hangUps = 0;

  private constructor(private readonly respond: Respond) {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(respond: Respond = failUnscripted): Promise<ModelServer> {
    const server = new ModelServer(respond);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  get lastRequest(): SeenRequest {
    return this.requests.at(-1)!;
  }

  reply(...replies: readonly ModelServerReply[]): void {
    this.#replies.push(...replies);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => {
      if (!response.writableFinished) this.hangUps += 1;
    });
    const seen = await readRequest(request);
    this.requests.push(seen);
    const reply = this.#replies.shift() ?? this.respond(seen);
    if (reply === disconnect) request.socket.destroy();
    else if ('steps' in reply) await perform(reply, response);
  }
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
}

async function perform(
  { status = 200, headers = { 'content-type': 'text/event-stream' }, steps }: Reply,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const step of steps) {
    if (step === hang) return;
    if (step === disconnect) return void response.socket?.destroy();
    if (typeof step === 'object' && 'until' in step) await step.until;
    else response.write(step);
    // Lets the data be flushed before a disconnect that may follow.
    await nextTurn();
  }
  response.end();
}
