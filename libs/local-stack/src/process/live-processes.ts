const livePids = new Set<number>();
let isHooked = false;

/**
 * Registers a child so that it is killed, with its whole process group, when this process exits in any
 * way that still runs code. Call `unregisterProcess` once the child has exited.
 */
export function registerProcess(pid: number): void {
  if (!isHooked) process.on('exit', killLiveProcesses);
  isHooked = true;
  livePids.add(pid);
}

export function unregisterProcess(pid: number): void {
  livePids.delete(pid);
}

/** Kills all children of this process that are still running. */
export function killLiveProcesses(): void {
  for (const pid of livePids) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has just exited by itself.
    }
  }
}
