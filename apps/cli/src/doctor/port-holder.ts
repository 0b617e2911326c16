import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

const listening = '0A';
/** 127.0.0.2, where a launcher binds ports to reserve them. Holders of such reservations are not reported. */
const reservation = '0200007F';

/** Finds the process that listens on a local port, as `name (process 7)`; undefined if unknown. */
export async function findPortHolder(port: number): Promise<string | undefined> {
  const inodes = new Set(
    (await Promise.all(['tcp', 'tcp6'].map((table) => inodesIn(table, port)))).flat(),
  );
  if (inodes.size === 0) return undefined;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (!(await holdsAny(pid, inodes))) continue;
    const name = await readFile(join('/proc', pid, 'comm'), 'utf8').catch(() => 'a program');
    return `${name.trim()} (process ${pid})`;
  }
  return undefined;
}

async function inodesIn(table: string, port: number): Promise<string[]> {
  const text = await readFile(join('/proc/net', table), 'utf8').catch(() => '');
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const isHolder =
      local.endsWith(suffix) && !local.startsWith(reservation) && state === listening;
    return isHolder ? [inode] : [];
  });
}

async function holdsAny(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const folder = join('/proc', pid, 'fd');
  const descriptors = await readdir(folder).catch(() => []);
  const links = await Promise.all(
    descriptors.map((descriptor) => readlink(join(folder, descriptor)).catch(() => '')),
  );
  return links.some((link) => inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? ''));
}
