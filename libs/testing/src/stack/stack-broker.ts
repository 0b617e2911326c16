import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StackPool } from './stack-pool';
import type { TestStackOptions } from './test-stack';

export interface StackBroker {
  readonly url: string;
  /** Stops every stack in the pool. */
  readonly stop: () => Promise<void>;
}

/** Lets the workers of a Jest run lease stacks, which keep running until `stop`. */
export async function startStackBroker(): Promise<StackBroker> {
  const pool = new StackPool();
  const server = createServer((request, response) => {
    answer(pool, request).then(
      (answered) => response.end(JSON.stringify(answered)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await pool.stop();
    },
  };
}

async function answer(pool: StackPool, request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (request.url === '/lease') return pool.lease(body as TestStackOptions);
  pool.release((body as { natsPrefix: string }).natsPrefix);
  return {};
}
