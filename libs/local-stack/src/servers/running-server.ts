import { connect } from 'node:net';
import { cannotStart } from '../cannot-start';
import { poll } from '../poll';
import { describeExit, type ManagedProcess, type ProcessHandle } from '../process/managed-process';
import type { ServerBinary } from './find-server';
import { PortTakenError } from './remembered-port';

/** A MongoDB or NATS server that we started. */
export interface RunningServer extends ProcessHandle {
  readonly url: string;
  readonly port: number;
  readonly version: string;
}

export interface ServerOptions {
  readonly binary: ServerBinary;
  /** Everything the server keeps lives here; the same folder gives the same data back. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Only this port will do; without it, the port of the last run or a free one. */
  readonly port?: number;
  /** Default: a file in the data folder. */
  readonly logFile?: string;
  readonly startTimeoutMs?: number;
  readonly onSpawn?: (child: ProcessHandle) => void;
}

export const defaultStartTimeoutMs = 30_000;

export function toRunningServer(
  child: ManagedProcess,
  facts: { readonly url: string; readonly port: number; readonly version: string },
): RunningServer {
  return {
    ...facts,
    name: child.name,
    pid: child.pid,
    exited: child.exited,
    lastLines: () => child.lastLines(),
    stop: (graceMs) => child.stop(graceMs),
    kill: (signal) => child.kill(signal),
  };
}

/** Polls until the server answers `attempt`; if the server ends or never does, nothing is left of it. */
export async function waitForServer<T>(
  child: ManagedProcess,
  attempt: () => Promise<T | undefined>,
  timeoutMs = defaultStartTimeoutMs,
): Promise<T> {
  try {
    return await poll(attempt, {
      timeoutMs,
      giveUp: () => (child.exit ? explainEarlyExit(child) : undefined),
      onTimeout: (lastError) =>
        cannotStart(
          `${child.name} was not ready after ${timeoutMs / 1000} s.\n${quoteLastLines(child)}`,
          lastError,
        ),
    });
  } catch (error) {
    await child.stop(0);
    throw error;
  }
}

/** Whether something accepts connections there. */
export async function acceptsConnections(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = (answer: true | undefined): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(undefined));
  });
}

function explainEarlyExit(child: ManagedProcess): Error {
  const lines = child.lastLines();
  if (lines.some((line) => /address already in use/i.test(line))) return new PortTakenError();
  const how = child.exit ? describeExit(child.exit) : 'ended';
  return cannotStart(`${child.name} ${how} while starting.\n${quoteLastLines(child)}`);
}

function quoteLastLines(child: ManagedProcess): string {
  const lines = child.lastLines().slice(-8);
  return lines.length > 0 ? `Its last lines:\n${lines.join('\n')}` : 'It wrote nothing.';
}
