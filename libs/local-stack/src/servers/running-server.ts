import { connect } from 'node:net';
import { cannotStart } from '../process/cannot-start';
import { poll } from '../process/poll';
import { describeExit, type ManagedProcess, type ProcessHandle } from '../process/managed-process';
import type { ServerBinary } from './find-server';
import { PortTakenError } from './remembered-port';

/** A MongoDB or NATS server started here. */
export interface RunningServer extends ProcessHandle {
  readonly url: string;
  readonly port: number;
  readonly version: string;
  /** Returns the address for one of the server's users, if it has several. */
  readonly urlOf?: (user: string) => string;
}

export interface ServerOptions {
  readonly binary: ServerBinary;
  /** Contains all of the server's data. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** The required port; by default the port of the last run or a free one. */
  readonly port?: number;
  /** By default a file in the data folder. */
  readonly logFile?: string;
  readonly startTimeoutMs?: number;
  readonly onSpawn?: (child: ProcessHandle) => void;
}

const defaultStartTimeoutMs = 30_000;

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

/** Polls until `attempt` succeeds. If the server exits or the time is up before that, stops the server and throws. */
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

/** Returns true if a server accepts connections on the port, and undefined otherwise. */
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
  const how = child.exit ? describeExit(child.exit) : 'exited';
  return cannotStart(`${child.name} ${how} while starting.\n${quoteLastLines(child)}`);
}

function quoteLastLines(child: ManagedProcess): string {
  const lines = child.lastLines().slice(-8);
  return lines.length > 0 ? `Its last lines:\n${lines.join('\n')}` : 'It wrote nothing.';
}
