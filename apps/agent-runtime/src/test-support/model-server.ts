import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Closes the connection without another word. */
export const cut = { ending: 'cut' } as const;

/** Neither sends nor closes anything any more. */
export const hang = { ending: 'hang' } as const;

type Ending = typeof cut | typeof hang;

/** Something a server does while it answers: bytes to send, a moment to wait for, or its end. */
export type ReplyStep = string | Uint8Array | { readonly until: Promise<unknown> } | Ending;

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps: readonly ReplyStep[];
}

/** An ending on its own comes before anything was answered. */
export type ModelServerReply = Reply | Ending;

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests say what they expect of it
  readonly body: any;
}

/** A server that answers each request as it was told to, the first with the first reply. */
export class ModelServer {
  readonly requests: SeenRequest[] = [];
  readonly #replies: ModelServerReply[] = [];
  readonly #server: Server;
  /** How many callers went away before their answer was complete. */
  hangUps = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
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
    this.requests.push(await readRequest(request));
    const reply = this.#replies.shift() ?? { status: 500, steps: ['no reply was scripted'] };
    if (reply === cut) request.socket.destroy();
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
    if (step === cut) return void response.socket?.destroy();
    if (typeof step === 'object' && 'until' in step) await step.until;
    else response.write(step);
    // What was sent before a cut is on its way before the cut.
    await nextTurn();
  }
  response.end();
}
