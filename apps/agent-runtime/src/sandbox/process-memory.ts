import { readdir, readFile } from 'node:fs/promises';

/**
 * How much memory a process and all that descend from it hold, in bytes; what they share counts for
 * each. Those that end meanwhile count nothing.
 */
export async function residentBytes(pid: number): Promise<number> {
  const [status, children] = await Promise.all([readText(`/proc/${pid}/status`), childrenOf(pid)]);
  const kilobytes = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0);
  const below = await Promise.all(children.map((child) => residentBytes(child)));
  return below.reduce((sum, bytes) => sum + bytes, kilobytes * 1024);
}

/** Any thread may have started some. */
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
