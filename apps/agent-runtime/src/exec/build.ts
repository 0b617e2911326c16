import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { ServiceKit, UserDataStore } from '@daycare/service-kit';
import type { UserHomes } from '../homes';
import { openPrograms } from './usecases/open-programs';
import type { SandboxConfig } from './sandbox/sandbox-config';
import { sandboxRunIndexes, SandboxRunStore } from './store/sandbox-run-store';
import type { HasPermission, RunProgram } from './usecases/run-program';

export const execIndexes: readonly CollectionIndexes[] = [sandboxRunIndexes];

export interface ExecDeps {
  readonly db: Db;
  readonly hasPermission: HasPermission;
  readonly homes: UserHomes | undefined;
  readonly sandbox: SandboxConfig;
  readonly usersDir: string;
  readonly homeQuotaBytes: number;
  readonly kit: Pick<ServiceKit, 'log' | 'stop'>;
  readonly now: () => Date;
}

export interface Exec {
  /** Undefined when programs are disabled or cannot be run safely here. */
  readonly runProgram: RunProgram | undefined;
  readonly userDataStores: readonly UserDataStore[];
}

/** Programs that agents run in a sandbox. */
export async function buildExec(deps: ExecDeps): Promise<Exec> {
  const { hasPermission, homes, sandbox, usersDir, homeQuotaBytes, kit, now } = deps;
  const sandboxRuns = new SandboxRunStore(deps.db);
  const runProgram = await openPrograms(
    { sandbox, usersDir, homeQuotaBytes },
    { sandboxRuns, hasPermission, homes, now },
    kit,
  );
  return { runProgram, userDataStores: [sandboxRuns] };
}
