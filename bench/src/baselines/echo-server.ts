import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';

/** The argument that makes this program the echo server instead of the bench. */
export const echoServerRole = 'echo-server';

export const echoPath = '/bench.Echo/Echo';

const asIs = (bytes: Buffer): Buffer => bytes;

const definition = {
  echo: {
    path: echoPath,
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
} as const;

/** Answers every call with what it was sent, tells its parent where, and ends with it. */
export function serveEcho(): void {
  const server = new Server();
  server.addService(definition, {
    echo: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) =>
      answer(null, call.request),
  });
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.send?.(`127.0.0.1:${port}`);
  });
  process.once('disconnect', () => process.exit(0));
}

export interface EchoServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** Runs this very bundle once more, as the echo server. Out of reach of the terminal's Ctrl-C. */
export async function startEchoServer(env: NodeJS.ProcessEnv): Promise<EchoServer> {
  const child = fork(__filename, [echoServerRole], { env, detached: true });
  const exited = once(child, 'exit');
  const started = Promise.race([once(child, 'message'), exited.then(() => [undefined])]);
  const [address] = (await started) as [string | undefined];
  if (address === undefined) throw new Error('the echo server ended while starting');
  return {
    address,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
