import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { isAllowedPort, pathNames, type TargetRules } from '../domain/endpoint-target';
import type { ServedEndpoint } from '../store/endpoint-store';
import { openSocketFile, pathOf } from './open-socket-file';
import { Refusal } from './refusal';

export interface TargetDeps {
  readonly rules: TargetRules;
  /** Where the homes of users are; empty when they cannot be reached from here. */
  readonly usersDir: string;
  readonly connectTimeoutMs: number;
}

/** A connection to where an endpoint leads, and how the program there calls itself. */
export interface TargetConnection {
  readonly socket: Socket;
  readonly host: string;
}

export type ConnectTarget = (
  endpoint: Pick<ServedEndpoint, 'userId' | 'target'>,
) => Promise<TargetConnection>;

const loopback = '127.0.0.1';

/** Reaches a target of a user's, or throws a Refusal. What may be reached is asked anew each time. */
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
        const connected = dial({ path: pathOf(file) }, connectTimeoutMs);
        const socket = await connected.finally(() => file.close());
        return { socket, host: 'localhost' };
      }
      case 'agent':
        throw targetDown();
    }
  };
}

function dial(options: NetConnectOpts, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...options, noDelay: true, keepAlive: true });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Refusal(504, 'target_timeout'));
    }, timeoutMs);
    const failed = (cause: unknown): void => {
      clearTimeout(timer);
      reject(targetDown(cause));
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      clearTimeout(timer);
      // Whoever uses it hears of errors too; until then they must not end the process.
      socket.off('error', failed).on('error', () => undefined);
      resolve(socket);
    });
  });
}

export function targetDown(cause?: unknown): Refusal {
  return new Refusal(502, 'target_down', {}, { cause });
}

function rethrowDown(cause: unknown): never {
  throw targetDown(cause);
}
