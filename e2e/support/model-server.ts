import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request. */
export type ModelReply =
  | { readonly kind: 'text'; readonly pieces: readonly string[] }
  | { readonly kind: 'tool'; readonly name: string; readonly args: object }
  | { readonly kind: 'status'; readonly status: number };

/** A request for an answer, as it came over the wire. */
export interface ModelQuestion {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** An HTTP server that speaks OpenAI's streaming chat format. */
export interface ModelServer {
  readonly url: string;
  readonly questions: readonly ModelQuestion[];
  close(): Promise<void>;
}

export async function startModelServer(
  reply: (question: ModelQuestion) => ModelReply,
): Promise<ModelServer> {
  const questions: ModelQuestion[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((question) => {
      questions.push(question);
      answer(response, reply(question));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    questions,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<ModelQuestion> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as ModelQuestion;
}

function answer(response: ServerResponse, reply: ModelReply): void {
  if (reply.kind === 'status') {
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'no', type: 'server_error' } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const delta of deltasOf(reply)) send(response, { choices: [{ index: 0, delta }] });
  const finish_reason = reply.kind === 'tool' ? 'tool_calls' : 'stop';
  send(response, { choices: [{ index: 0, delta: {}, finish_reason }] });
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  send(response, { choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function deltasOf(reply: Exclude<ModelReply, { kind: 'status' }>): object[] {
  if (reply.kind === 'text') return reply.pieces.map((content) => ({ role: 'assistant', content }));
  const called = { name: reply.name, arguments: JSON.stringify(reply.args) };
  return [{ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }] }];
}

function send(response: ServerResponse, chunk: object): void {
  const common = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'test' };
  response.write(`data: ${JSON.stringify({ ...common, ...chunk })}\n\n`);
}
