import { join } from 'node:path';
import { connect } from 'nats';
import {
  createNatsPasswords,
  findServer,
  findWorkspaceRoot,
  startNatsServer,
  type RunningServer,
} from '@daycare/local-stack';
import { uniqueName } from '@daycare/testing';
import type { BenchStack } from '../kit/bench-stack';
import type { PreparedProbe, Probe } from '../kit/workload';

const messageBytes = 100;
const user = { user: 'test', pass: 'baseline' };

/** Publishes one small message into a file-backed stream and waits for the server's acknowledgement. */
export const jetstreamPublish = {
  name: 'jetstream-publish',
  async prepare(stack: BenchStack): Promise<PreparedProbe> {
    const server = await startServer(stack);
    const connection = await connect({ servers: server.url, ...user });
    const name = uniqueName('bench');
    const { streams } = await connection.jetstreamManager();
    await streams.add({ name, subjects: [`${name}.>`] });
    const jetstream = connection.jetstream();
    const message = new Uint8Array(messageBytes);
    return {
      run: () => jetstream.publish(`${name}.message`, message),
      async close() {
        await connection.close();
        await server.stop();
      },
    };
  },
} as const satisfies Probe;

/** Starts a separate server, because users of the stack's server may publish only the services' messages. */
async function startServer({ env, scratchDir }: BenchStack): Promise<RunningServer> {
  const found = findServer('nats', { env, workspaceRoot: findWorkspaceRoot(__dirname) });
  if (found.kind === 'url')
    throw new Error('the bench starts its own NATS server and cannot use a running one');
  return startNatsServer({
    binary: found.binary,
    env,
    dataDir: join(scratchDir, uniqueName('baseline-nats')),
    access: { passwords: createNatsPasswords(), prefix: '*', testPassword: user.pass },
  });
}
