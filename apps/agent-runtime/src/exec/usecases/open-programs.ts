import { statfs } from 'node:fs/promises';
import { mergeSignals } from '@daycare/async';
import { AppError } from '@daycare/api';
import type { ServiceKit } from '@daycare/service-kit';
import type { UserHomes } from '../../homes';
import type { SandboxConfig } from '../sandbox/sandbox-config';
import {
  makeRunProgram,
  type ProgramHomes,
  type RunProgram,
  type RunProgramDeps,
} from './run-program';
import { openSandbox } from '../sandbox/open-sandbox';
import { QuotaMonitor } from '../sandbox/quota-monitor';
import { makeWithRunSlot } from '../sandbox/run-slots';

export interface ProgramsConfig {
  readonly sandbox: SandboxConfig;
  readonly usersDir: string;
  readonly homeQuotaBytes: number;
}

export interface ProgramsDeps extends Pick<
  RunProgramDeps,
  'sandboxRuns' | 'hasPermission' | 'now'
> {
  readonly homes: UserHomes | undefined;
}

/**
 * Returns the function that runs programs for agents; undefined when they are disabled or cannot run safely
 * here.
 */
export async function openPrograms(
  { sandbox, usersDir, homeQuotaBytes }: ProgramsConfig,
  { homes, sandboxRuns, hasPermission, now }: ProgramsDeps,
  { log, stop }: Pick<ServiceKit, 'log' | 'stop'>,
): Promise<RunProgram | undefined> {
  const options = { usersDir: homes ? usersDir : '', fileBytes: homeQuotaBytes };
  const runSandboxed = await openSandbox(sandbox, options, log);
  if (!homes || !runSandboxed) return undefined;
  const stopping = new AbortController();
  // Runs after the shards are released, because the steps of a phase run in reverse order. Turns that are still
  // finishing may need their programs until then.
  stop.add('release', 'programs', async () =>
    stopping.abort(new AppError('UNAVAILABLE', 'The service is stopping')),
  );
  const runProgram = makeRunProgram({
    sandboxRuns,
    hasPermission,
    homes: programHomes(homes, usersDir),
    runSandboxed,
    withRunSlot: makeWithRunSlot(sandbox.maxRuns),
    networkAllowed: sandbox.network,
    now,
  });
  return async (call, program) => {
    const { signal, release } = mergeSignals(call.signal, stopping.signal);
    return runProgram({ ...call, signal }, program).finally(release);
  };
}

function programHomes(homes: UserHomes, usersDir: string): ProgramHomes {
  const monitor = new QuotaMonitor({
    // Also stores the result, which then counts towards the quota that the owner shares with its subusers.
    measure: (userId) => homes.recount(userId),
    limits: homes.limits,
    async freeOnDisk() {
      const { bavail, bsize, ffree } = await statfs(usersDir);
      return { bytes: bavail * bsize, entries: ffree };
    },
    nowMs: () => performance.now(),
  });
  return {
    directoryOf: (userId) => homes.directoryOf(userId),
    begin: (userId, id, trust) => homes.programs.begin(userId, id, trust),
    end: (trace) => homes.programs.end(trace),
    recount: (userId) => homes.recount(userId),
    hasRoom: async (userId) => (await monitor.hasFreeDiskSpace()) && homes.hasRoom(userId),
    stillHasRoom: (userId) => monitor.hasRoom(userId),
  };
}
