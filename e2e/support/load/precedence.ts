import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { appNames } from '@daycare/local-stack';
import type { Stack } from '../stack/stack';

/**
 * The lowest priority, because it is given to many processes, which together should disturb others as little as if they
 * ran on another machine.
 */
const lowestPriority = 19;
/** The kernel accepts changes to a group's priority at most ten times a second, except from root. */
const groupChangeMs = 150;

/**
 * Gives everything else on this machine precedence over the services, MongoDB and NATS, so that the browser is measured
 * as if it had its own machine.
 */
export async function lowerStackPriority(stack: Stack): Promise<void> {
  const started = appNames.filter((name) => stack.replicasOf(name) > 0);
  const processes = [stack.mongo, stack.nats, ...started.map((name) => stack.service(name))];
  for (const { pid } of processes.flatMap((process) => process ?? []))
    await lowerProcessPriority(pid);
}

/**
 * Gives everything else on this machine precedence over a process that has a session of its own, as if the process ran
 * on another machine.
 */
export async function lowerProcessPriority(pid: number): Promise<void> {
  for (const thread of threadsOf(pid)) lowerThread(thread);
  await lowerGroup(pid);
}

/** On Linux, each thread has its own priority. */
function threadsOf(pid: number): readonly number[] {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
}

function lowerThread(id: number): void {
  try {
    setPriority(id, lowestPriority);
  } catch (error) {
    // A thread may end at any time.
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error;
  }
}

/**
 * Lowers the group of a process. If the kernel groups processes by session, the priorities of the groups decide which
 * processes run first.
 */
async function lowerGroup(pid: number): Promise<void> {
  try {
    await writeFile(`/proc/${pid}/autogroup`, String(lowestPriority), { flag: 'r+' });
    await delay(groupChangeMs);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
