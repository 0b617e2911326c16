import { randomBytes } from 'node:crypto';
import { Client, credentials } from '@grpc/grpc-js';
import type { BenchStack } from '../kit/bench-stack';
import type { PreparedProbe, Probe } from '../kit/workload';
import { echoPath, startEchoServer } from './echo-server';

const messageBytes = 100;

const passThrough = (bytes: Buffer): Buffer => bytes;

/** Makes a unary call to a server in another process with plain grpc-js, without our RPC kit. */
export const grpcEcho = {
  name: 'grpc-echo',
  async prepare({ env }: BenchStack): Promise<PreparedProbe> {
    const server = await startEchoServer(env);
    const client = new Client(server.address, credentials.createInsecure());
    const message = randomBytes(messageBytes);
    return {
      run: () => callEcho(client, message),
      processes: [{ name: 'echo', pid: server.pid }],
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
    client.makeUnaryRequest(echoPath, passThrough, passThrough, message, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
}
