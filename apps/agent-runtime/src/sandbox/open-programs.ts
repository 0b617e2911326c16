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
import { RoomGauge } from './room-gauge';
import { makeWhenFree } from './when-free';

export interface ProgramsConfig {
  readonly sandbox: SandboxConfig;
  readonly usersDir: string;
  readonly homeQuotaBytes: number;
}

export interface ProgramsDeps extends Pick<RunProgramDeps, 'sandboxRuns' | 'agents' | 'now'> {
  readonly homes: UserHomes | undefined;
}

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
    homes: programHomes(homes, usersDir),
    runSandboxed,
    whenFree: makeWhenFree(sandbox.maxRuns),
    networkAllowed: sandbox.network,
  });
  return (call, program) =>
    runProgram({ ...call, signal: AbortSignal.any([call.signal, stopping.signal]) }, program);
}

function programHomes(homes: UserHomes, usersDir: string): ProgramHomes {
  const gauge = new RoomGauge({
    measure: (userId) => homes.measure(userId),
    limits: homes.limits,
    async freeOnDisk() {
      const { bavail, bsize, ffree } = await statfs(usersDir);
      return { bytes: bavail * bsize, entries: ffree };
    },
    nowMs: () => performance.now(),
  });
  return {
    directoryOf: (userId) => homes.directoryOf(userId),
    recount: (userId) => homes.recount(userId),
    hasRoom: async (userId) => (await gauge.isDiskFree()) && homes.hasRoom(userId),
    keepsRoom: (userId) => gauge.hasRoom(userId),
  };
}
