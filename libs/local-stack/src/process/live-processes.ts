const livePids = new Set<number>();
let hooked = false;

/**
 * Remembers a child's pid so that it is killed, with its whole process group, when this process ends
 * in any way that still runs code. Call `forgetProcess` once the child has exited.
 */
export function rememberProcess(pid: number): void {
  if (!hooked) process.on('exit', killLiveProcesses);
  hooked = true;
  livePids.add(pid);
}

export function forgetProcess(pid: number): void {
  livePids.delete(pid);
}

/** Kills at once everything this process started and has not seen end. */
export function killLiveProcesses(): void {
  for (const pid of livePids) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended by itself a moment ago.
    }
  }
}
