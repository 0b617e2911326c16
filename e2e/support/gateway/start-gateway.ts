import { join } from 'node:path';
import {
  buildServiceEnv,
  bundlePath,
  chooseFreePort,
  findWorkspaceRoot,
  serviceNames,
  startService,
  type RunningService,
} from '@daycare/local-stack';
import { Restartable, type TestStack } from '@daycare/testing';

/** A gateway in front of a running stack; a story may kill the gateway. */
export type TestGateway = Restartable<RunningService>;

const unlimited = '1000000';

/** Starts a gateway for a stack's services; it keeps its address when it restarts. */
export async function startTestGateway(
  stack: TestStack,
  env: NodeJS.ProcessEnv = {},
): Promise<TestGateway> {
  const listen = `127.0.0.1:${await chooseFreePort()}`;
  const peers = Object.fromEntries(serviceNames.map((name) => [name, stack.addressOf(name)]));
  const { mongoUrl, natsUrl, credentials, usersDir } = stack;
  const servers = { mongoUrl, natsUrl, credentials, usersDir, shutdownTimeoutMs: 5_000 };
  const ports = { listen, httpListen: '127.0.0.1:0' };
  const base = buildServiceEnv({ name: 'gateway', base: {}, peers, ...ports, ...servers });
  return Restartable.start(() =>
    startService({
      name: 'gateway',
      bundle: bundlePath(findWorkspaceRoot(__dirname), 'gateway'),
      env: {
        ...base,
        DAYCARE_GATEWAY_RATE_PER_SECOND: unlimited,
        DAYCARE_GATEWAY_RATE_BURST: unlimited,
        ...env,
      },
      logFile: join(stack.folder, 'gateway.log'),
      startTimeoutMs: 60_000,
    }),
  );
}
