import { once } from 'node:events';
import { onAbort } from '@daycare/async';
import type { ProgramEnd } from '../domain/program-end';
import { residentBytes } from './process-memory';
import {
  notStarted,
  startProcess,
  type Program,
  type SandboxProcess,
  type SandboxSetup,
} from './sandbox-process';
import { withUserFolders } from './user-folders';
import { watch } from './watch';

/** Runs a program in its own sandbox. By the time the promise settles, all of the program's processes have ended. */
export type RunSandboxed = (program: Program) => Promise<ProgramEnd>;

export function makeRunSandboxed(setup: SandboxSetup): RunSandboxed {
  return async (program) => {
    program.signal.throwIfAborted();
    return withUserFolders(program.directory, setup.uid, async (folders) => {
      await program.onReady?.();
      return supervise(startProcess(setup, program, folders), setup, program);
    });
  };
}

/** Waits for the program to end, and kills it when it exceeds a limit or the call is aborted. */
async function supervise(
  run: SandboxProcess,
  setup: SandboxSetup,
  program: Program,
): Promise<ProgramEnd> {
  const { signal, timeoutMs, hasRoom } = program;
  const ended = new AbortController();
  const timer = setTimeout(() => run.kill('time'), timeoutMs);
  const stopListening = onAbort(signal, () => run.fail(signal.reason));
  const isWithinMemory = async (): Promise<boolean> =>
    run.pid === undefined || (await residentBytes(run.pid)) <= setup.limits.memoryBytes;
  const watches = [
    watch(isWithinMemory, setup.memoryCheckMs, () => run.kill('memory'), ended.signal),
    watch(hasRoom, setup.quotaCheckMs, () => run.kill('quota'), ended.signal),
  ].map((watching) => watching.catch((error: unknown) => run.fail(error)));
  try {
    await once(run.child, 'close');
  } catch (error) {
    throw notStarted(error);
  } finally {
    clearTimeout(timer);
    stopListening();
    ended.abort();
    await Promise.all(watches);
  }
  return run.result();
}
