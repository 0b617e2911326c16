import { existsSync } from 'node:fs';
import { cannotStart } from '../process/cannot-start';
import { poll } from '../process/poll';
import { describeExit, ManagedProcess, type ProcessHandle } from '../process/managed-process';
import type { LineListener } from '../process/output-log';
import { isServing } from './check-health';
import { nodeOptions } from './service-catalog';
import { parseLogLine, parseReadyLine, type ReadyLine } from './log-line';

/** Enough for a stack trace with the message above it. */
const quotedLines = 25;

export interface ServiceOptions {
  readonly name: string;
  /** The bundle to run, usually `bundlePath(workspaceRoot, name)`. */
  readonly bundle: string;
  /** The whole environment of the service. */
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Options for node, besides those that every service gets. */
  readonly nodeOptions?: readonly string[];
  readonly startTimeoutMs?: number;
  readonly onLine?: LineListener;
  readonly onSpawn?: (child: ProcessHandle) => void;
}

/** A service that has logged that it is ready and whose health check returns SERVING. */
export interface RunningService extends ProcessHandle {
  readonly grpcAddress: string;
  readonly httpAddress: string;
}

/**
 * Runs a service and resolves once it accepts calls. When it exits before that, rejects with what it printed;
 * when it takes too long, kills it and rejects.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  if (!existsSync(options.bundle)) {
    throw cannotStart(`${options.bundle} does not exist; build it with "npm run build".`);
  }
  const output: StartOutput = { plainLines: [] };
  const child = await ManagedProcess.spawn({
    ...options,
    command: process.execPath,
    args: [...nodeOptions, ...(options.nodeOptions ?? []), options.bundle],
    ipc: true,
    onLine: (line) => {
      if (!output.ready) note(line, output);
      options.onLine?.(line);
    },
  });
  return waitUntilServing(child, output, options.startTimeoutMs ?? 20_000);
}

/** What a service wrote before it was ready; `plainLines` are the lines that are not JSON. */
interface StartOutput {
  ready?: ReadyLine;
  readonly plainLines: string[];
}

function note(line: string, output: StartOutput): void {
  const ready = parseReadyLine(line);
  if (ready) output.ready = ready;
  else if (!parseLogLine(line)) output.plainLines.push(line);
}

async function waitUntilServing(
  child: ManagedProcess,
  output: StartOutput,
  timeoutMs: number,
): Promise<RunningService> {
  try {
    const ready = await poll(
      async () => {
        child.readOutput();
        return output.ready && (await isServing(output.ready.grpc)) ? output.ready : undefined;
      },
      {
        timeoutMs,
        intervalMs: 10,
        giveUp: () => (child.exit ? explainExit(child, output.plainLines) : undefined),
        onTimeout: (cause) => explainTimeout(child, timeoutMs, cause),
      },
    );
    return toRunningService(child, ready);
  } catch (error) {
    await child.stop(0);
    throw error;
  }
}

function toRunningService(child: ManagedProcess, ready: ReadyLine): RunningService {
  return {
    name: child.name,
    pid: child.pid,
    grpcAddress: ready.grpc,
    httpAddress: ready.http,
    exited: child.exited,
    lastLines: () => child.lastLines(),
    stop: (graceMs) => child.stop(graceMs),
    kill: (signal) => child.kill(signal),
  };
}

function explainExit(child: ManagedProcess, plainLines: readonly string[]): Error {
  const how = child.exit ? describeExit(child.exit) : 'exited';
  const lines = plainLines.length > 0 ? plainLines : child.lastLines();
  const quoted = lines.slice(-quotedLines).join('\n');
  return cannotStart(`${child.name} ${how} while starting.\n${quoted || 'It wrote nothing.'}`);
}

function explainTimeout(child: ManagedProcess, timeoutMs: number, cause: unknown): Error {
  const quoted = child.lastLines().slice(-quotedLines).join('\n');
  return cannotStart(
    `${child.name} was not ready after ${timeoutMs / 1000} s.\n${quoted || 'It wrote nothing.'}`,
    cause,
  );
}
