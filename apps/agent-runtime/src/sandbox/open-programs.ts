import { statfs } from 'node:fs/promises';
import { AppError } from '@daycare/errors';
import type { ServiceKit } from '@daycare/service-kit';
import type { UserHomes } from '../home/user-homes';
import type { SandboxConfig } from '../sandbox-config';
import {
  makeRunProgram,
  type ProgramHomes,
  type RunProgram,
  type RunProgramDeps,
} from '../usecases/run-program';
import { openSandbox } from './open-sandbox';
import { makeWhenFree } from './when-free';

export interface ProgramsConfig {
  readonly sandbox: SandboxConfig;
  readonly usersDir: string;
  readonly homeQuotaBytes: number;
}

export interface ProgramsDeps extends Pick<RunProgramDeps, 'sandboxRuns' | 'agents' | 'now'> {
  readonly homes: UserHomes | undefined;
}

/** For everybody else on the same disk. */
const leastFreeBytes = 256 * 1024 * 1024;

/** What runs programs for agents; undefined when it is not enabled or cannot be done safely here. */
export async function openPrograms(
  { sandbox, usersDir, homeQuotaBytes }: ProgramsConfig,
  { homes, ...deps }: ProgramsDeps,
  { log, stop }: Pick<ServiceKit, 'log' | 'stop'>,
): Promise<RunProgram | undefined> {
  const places = { usersDir: homes ? usersDir : '', fileBytes: homeQuotaBytes };
  const runSandboxed = await openSandbox(sandbox, places, log);
  if (!homes || !runSandboxed) return undefined;
  const stopping = new AbortController();
  stop.add('quiesce', 'programs', async () =>
    stopping.abort(new AppError('UNAVAILABLE', 'The service is stopping')),
  );
  const runProgram = makeRunProgram({
    ...deps,
    homes: programHomes(homes, usersDir, homeQuotaBytes),
    runSandboxed,
    whenFree: makeWhenFree(sandbox.maxRuns),
    networkAllowed: sandbox.network,
  });
  return (call, program) =>
    runProgram({ ...call, signal: AbortSignal.any([call.signal, stopping.signal]) }, program);
}

/** Files that have no name any more are in no measure, so the disk itself is looked at too. */
function programHomes(homes: UserHomes, usersDir: string, quotaBytes: number): ProgramHomes {
  return {
    directoryOf: (userId) => homes.directoryOf(userId),
    recount: (userId) => homes.recount(userId),
    async hasRoom(userId) {
      const { bavail, bsize } = await statfs(usersDir);
      return bavail * bsize >= leastFreeBytes && (await homes.measure(userId)) < quotaBytes;
    },
  };
}
