import { readdir, readFile } from 'node:fs/promises';

/**
 * Returns the memory of a process and all its descendants, in bytes; shared memory counts once for each process.
 * Processes that end in the meantime count as zero.
 */
export async function residentBytes(pid: number): Promise<number> {
  const [status, children] = await Promise.all([readText(`/proc/${pid}/status`), childrenOf(pid)]);
  const kilobytes = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
  const childBytes = await Promise.all(children.map((child) => residentBytes(child)));
  return childBytes.reduce((sum, bytes) => sum + bytes, kilobytes * 1024);
}

/** Returns the ids of a process's children, whichever of its threads started them. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readText(`/proc/${pid}/task/${thread}/children`)),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
