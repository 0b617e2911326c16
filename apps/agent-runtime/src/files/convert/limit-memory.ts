import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';

export interface MemoryLimit {
  readonly maxBytes: number;
  readonly onExceeded: () => void;
}

/** What a decoder takes between two polls comes on top of the limit. */
const pollMs = 100;
/** The kernel ends it before anything else when memory runs out. Raising it needs no privilege. */
const firstToEnd = '1000';

/**
 * Polls the resident memory of a process: a limit of its heap does not count buffers and what native code allocates.
 * Returns how to end that. Without /proc, on other systems than Linux, there is no limit.
 */
export function limitMemory({ pid }: ChildProcess, limit: MemoryLimit): () => void {
  if (pid === undefined) return () => undefined;
  void writeFile(`/proc/${pid}/oom_score_adj`, firstToEnd).catch(() => undefined);
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
