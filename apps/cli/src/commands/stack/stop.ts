import { setTimeout as delay } from 'node:timers/promises';
import { findLauncher } from '@daycare/local-stack/lookup';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { textView } from '../../output/view';
import { defineCommand } from '../kit/command';
import { dataDirOption, findDataDir } from './data-dir';

const pollMs = 100;
const maxStopMs = 60_000;

export const stopCommand = defineCommand<{ dataDir?: string }>({
  name: 'stop',
  description: 'stop the stack running on this machine',
  options: [dataDirOption],
  examples: ['stop', 'stop --data-dir /tmp/daycare'],
  async run({ chosen, options }) {
    const dataDir = await findDataDir(options.dataDir, chosen);
    const pid = findLauncher(dataDir);
    if (pid === undefined)
      throw new Failure(
        exitCodes.notFound,
        `No stack is running in ${dataDir}.`,
        'Start one with "daycare up --detach".',
      );
    process.kill(pid, 'SIGTERM');
    await untilStopped(dataDir, pid);
    return textView(`Stopped the stack in ${dataDir}.`, { dataDir, pid });
  },
});

async function untilStopped(dataDir: string, pid: number): Promise<void> {
  const deadline = performance.now() + maxStopMs;
  while (findLauncher(dataDir) === pid) {
    if (performance.now() > deadline)
      throw new Failure(
        exitCodes.unavailable,
        `The stack in ${dataDir} did not stop within ${maxStopMs / 1_000} s.`,
        `Kill it with "kill -9 ${pid}"; the next start stops any processes it leaves behind.`,
      );
    await delay(pollMs);
  }
}
