import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';

export interface MemoryLimit {
  readonly maxBytes: number;
  readonly onExceeded: () => void;
}

/** A decoder can exceed the limit by as much as it allocates between two polls. */
const pollMs = 100;
/** Makes the kernel kill the monitored process first when memory runs out. Raising the score needs no privilege. */
const maxOomScore = '1000';

/**
 * Polls the resident memory of a process and reports when it exceeds the limit, because the heap limit does not
 * count buffers and native allocations. Returns a function that stops the polling. Without /proc, on systems other
 * than Linux, there is no limit.
 */
export function limitMemory({ pid }: ChildProcess, limit: MemoryLimit): () => void {
  if (pid === undefined) return () => undefined;
  void writeFile(`/proc/${pid}/oom_score_adj`, maxOomScore).catch(() => undefined);
  const timer = setInterval(() => {
    void residentBytes(pid).then((bytes) => {
      if (bytes > limit.maxBytes) limit.onExceeded();
    });
  }, pollMs);
  return () => clearInterval(timer);
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
}
