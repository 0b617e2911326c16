import { randomBytes } from 'node:crypto';
import { Client, credentials } from '@grpc/grpc-js';
import type { BenchStack } from '../bench-stack';
import type { Prepared, Probe } from '../workload';
import { echoPath, startEchoServer } from './echo-server';

const messageBytes = 100;

const asIs = (bytes: Buffer): Buffer => bytes;

/** A unary call and its answer, client here and server in another process: plain grpc-js, no kit. */
export const grpcEcho = {
  name: 'grpc-echo',
  async prepare({ env }: BenchStack): Promise<Prepared> {
    const server = await startEchoServer(env);
    const client = new Client(server.address, credentials.createInsecure());
    const message = randomBytes(messageBytes);
    return {
      run: () => callEcho(client, message),
      literal: { address: server.address, path: echoPath, message },
      async close() {
        client.close();
        await server.stop();
      },
    };
  },
} as const satisfies Probe;

function callEcho(client: Client, message: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(echoPath, asIs, asIs, message, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });
}
