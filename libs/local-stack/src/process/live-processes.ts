const livePids = new Set<number>();

/**
 * Registers a child so that it is killed, with its whole process group, when this process exits in any
 * way that still runs code. Call `unregisterProcess` when the child has exited.
 */
export function registerProcess(pid: number): void {
  if (livePids.size === 0) process.on('exit', killLiveProcesses);
  livePids.add(pid);
}

export function unregisterProcess(pid: number): void {
  if (livePids.delete(pid) && livePids.size === 0) process.off('exit', killLiveProcesses);
}

/** Kills all registered children of this process that are still running. */
export function killLiveProcesses(): void {
  for (const pid of livePids) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has just exited on its own.
    }
  }
}
