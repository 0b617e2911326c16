import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { withTimeout } from '@daycare/async';
import { isAllowedPort, pathNames, type TargetRules } from '../../domain/endpoints/endpoint-target';
import type { ServedEndpoint } from '../../domain/endpoints/endpoint';
import { openSocketFile, pathOf } from './open-socket-file';
import { Refusal } from '../refusal';

export interface TargetDeps {
  readonly rules: TargetRules;
  /** The directory that contains users' home directories; empty when this process cannot reach them. */
  readonly usersDir: string;
  readonly connectTimeoutMs: number;
}

/** A connection to an endpoint's target, and the Host that the target expects. */
export interface TargetConnection {
  readonly socket: Socket;
  readonly host: string;
}

export type ConnectTarget = (
  endpoint: Pick<ServedEndpoint, 'userId' | 'target'>,
) => Promise<TargetConnection>;

const loopback = '127.0.0.1';

/** Connects to a target or throws a Refusal. What may be exposed is checked again for every connection. */
export function makeConnectTarget({
  rules,
  usersDir,
  connectTimeoutMs,
}: TargetDeps): ConnectTarget {
  return async ({ userId, target }) => {
    switch (target.kind) {
      case 'port': {
        const { port } = target;
        if (!isAllowedPort(port, rules)) throw targetDown();
        const socket = await dial({ host: loopback, port }, connectTimeoutMs);
        return { socket, host: `${loopback}:${port}` };
      }
      case 'unix': {
        if (usersDir === '') throw targetDown();
        const names = [userId, 'home', ...pathNames(target.path)];
        const file = await openSocketFile(usersDir, names).catch(rethrowDown);
        try {
          const socket = await dial({ path: pathOf(file) }, connectTimeoutMs);
          return { socket, host: 'localhost' };
        } finally {
          await file.close();
        }
      }
      case 'agent':
        throw targetDown();
    }
  };
}

async function dial(options: NetConnectOpts, timeoutMs: number): Promise<Socket> {
  const socket = connect({ ...options, noDelay: true, keepAlive: true });
  // Without this listener, an error before the caller adds its own would crash the process.
  socket.on('error', () => undefined);
  const connected = once(socket, 'connect').catch(rethrowDown);
  try {
    await withTimeout(connected, timeoutMs, () => new Refusal(504, 'target_timeout'));
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

export function targetDown(cause?: unknown): Refusal {
  return new Refusal(502, 'target_down', {}, { cause });
}

function rethrowDown(cause: unknown): never {
  throw targetDown(cause);
}
