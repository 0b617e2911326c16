import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';

/** The argument that makes this program the echo server instead of the bench. */
export const echoServerRole = 'echo-server';

export const echoPath = '/bench.Echo/Echo';

const passThrough = (bytes: Buffer): Buffer => bytes;

const definition = {
  echo: {
    path: echoPath,
    requestStream: false,
    responseStream: false,
    requestSerialize: passThrough,
    requestDeserialize: passThrough,
    responseSerialize: passThrough,
    responseDeserialize: passThrough,
  },
} as const;

/**
 * Starts a server that echoes every call. Sends the server's address to the parent process, and exits with the parent.
 */
export function serveEcho(): void {
  const server = new Server();
  server.addService(definition, {
    echo: (call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) =>
      respond(null, call.request),
  });
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.send?.(`127.0.0.1:${port}`);
  });
  process.once('disconnect', () => process.exit(0));
}

export interface EchoServer {
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Runs this bundle again as the echo server, detached so that Ctrl-C does not reach it. */
export async function startEchoServer(env: NodeJS.ProcessEnv): Promise<EchoServer> {
  const child = fork(__filename, [echoServerRole], { env, detached: true });
  const exited = once(child, 'exit');
  const started = Promise.race([once(child, 'message'), exited.then(() => [undefined])]);
  const [address] = (await started) as [string | undefined];
  if (address === undefined) throw new Error('the echo server exited during start-up');
  return {
    address,
    pid: child.pid ?? 0,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
