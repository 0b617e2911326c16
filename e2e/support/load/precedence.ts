import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { appNames } from '@daycare/local-stack';
import type { Stack } from '../stack/stack';

/** The lowest priority. There are many of these processes, and none would affect a browser on its own machine. */
const lowest = 19;
/** The kernel accepts such a change from most users once every tenth of a second. */
const groupChangeMs = 150;

/**
 * Gives everything else on this machine precedence over the services, MongoDB and NATS, so that the browser is measured
 * as if it had its own machine.
 */
export async function lowerPriority(stack: Stack): Promise<void> {
  const started = appNames.filter((name) => stack.replicasOf(name) > 0);
  const processes = [stack.mongo, stack.nats, ...started.map((name) => stack.service(name))];
  for (const { pid } of processes.flatMap((process) => process ?? [])) await lowerProcess(pid);
}

/**
 * Gives everything else on this machine precedence over a process that is a session of its own, as if it ran on another
 * machine.
 */
export async function lowerProcess(pid: number): Promise<void> {
  for (const thread of threadsOf(pid)) lowerThread(thread);
  await lowerGroup(pid);
}

/** On Linux, each thread has its own priority. */
function threadsOf(pid: number): readonly number[] {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
}

function lowerThread(id: number): void {
  try {
    setPriority(id, lowest);
  } catch (error) {
    // A thread may end at any time.
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error;
  }
}

/**
 * Each of these processes is a session. If the kernel groups processes by session, the priority of the group decides
 * between them.
 */
async function lowerGroup(pid: number): Promise<void> {
  try {
    await writeFile(`/proc/${pid}/autogroup`, String(lowest), { flag: 'r+' });
    await delay(groupChangeMs);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
