import { AppError } from '@daycare/errors';
import { reportOf, type ProgramEnd, type ProgramReport } from '../domain/program-end';
import type { AgentStore } from '../store/agent-store';
import type { SandboxRun, SandboxRunStore } from '../store/sandbox-run-store';
import type { AgentCall } from './agent-call';
import { messageIdOf } from './message-id';

export interface ProgramCall {
  readonly command: string;
  readonly timeoutMs: number;
  readonly network: boolean;
}

interface StartedProgram extends ProgramCall {
  readonly directory: string;
  readonly signal: AbortSignal;
}

/** Where users' files are, as far as programs are concerned. */
export interface ProgramHomes {
  readonly directoryOf: (userId: string) => Promise<string>;
  /** Whether the user may have more files, and there is room for them. */
  readonly hasRoom: (userId: string) => Promise<boolean>;
  /** The same while a program runs; may be asked often. */
  readonly keepsRoom: (userId: string) => Promise<boolean>;
  /** A program has written by itself. */
  readonly recount: (userId: string) => Promise<unknown>;
}

export interface RunProgramDeps {
  readonly sandboxRuns: SandboxRunStore;
  readonly agents: Pick<AgentStore, 'find'>;
  readonly homes: ProgramHomes;
  /** Whether programs of this installation can be given the network at all. */
  readonly networkAllowed: boolean;
  /** Does the work when it is its turn; rejects when the signal comes first. */
  readonly whenFree: <T>(userId: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
  readonly runSandboxed: (
    program: StartedProgram & { readonly hasRoom: () => Promise<boolean> },
  ) => Promise<ProgramEnd>;
  readonly now: () => Date;
}

/**
 * Runs a program for an agent, with its user's files. It is started at most once for a request id: what
 * is repeated gets the first one's outcome, or hears that it was cut off.
 */
export type RunProgram = (call: AgentCall, program: ProgramCall) => Promise<ProgramReport>;

export function makeRunProgram(deps: RunProgramDeps): RunProgram {
  return async (call, program) => {
    const { agent, requestId, signal } = call;
    const { userId } = agent;
    const fingerprint = fingerprintOf(program);
    const before = await deps.sandboxRuns.find(userId, requestId);
    if (before) return outcomeOf(before, fingerprint);
    if (program.network) await checkNetwork(deps, call);
    return deps.whenFree(userId, signal, async () => {
      await checkRoom(deps, userId);
      const directory = await deps.homes.directoryOf(userId);
      const run = { requestId, userId, fingerprint, startedAt: deps.now() };
      if (await deps.sandboxRuns.claim(run))
        return start(deps, run, { ...program, directory, signal });
      return outcomeOf(await deps.sandboxRuns.find(userId, requestId), fingerprint);
    });
  };
}

async function start(
  { homes, sandboxRuns, runSandboxed }: RunProgramDeps,
  { userId, requestId }: SandboxRun,
  program: StartedProgram,
): Promise<ProgramReport> {
  const hasRoom = (): Promise<boolean> => homes.keepsRoom(userId);
  try {
    const report = reportOf(await runSandboxed({ ...program, hasRoom }));
    await sandboxRuns.finish({ userId, requestId }, report);
    return report;
  } finally {
    await homes.recount(userId);
  }
}

/** What is answered when the same call comes again. */
function outcomeOf(run: SandboxRun | undefined, fingerprint: string): ProgramReport {
  if (run && run.fingerprint !== fingerprint)
    throw new AppError('REQUEST_ID_REUSED', 'The request id was used for another program');
  if (run?.report) return run.report;
  throw new AppError(
    'FAILED_PRECONDITION',
    'The program was started before and was cut off, or is still running; it may have run in part',
  );
}

/** The agent is read again: what it was allowed a moment ago counts. */
async function checkNetwork(
  { agents, networkAllowed }: RunProgramDeps,
  { agent }: AgentCall,
): Promise<void> {
  if (!networkAllowed)
    throw new AppError('PERMISSION_DENIED', 'Programs have no network in this installation');
  const granted = (await agents.find(agent.id))?.grantedPermissions ?? [];
  if (!granted.includes('network'))
    throw new AppError(
      'PERMISSION_DENIED',
      'You may not use the network; ask for the permission network with request_permission',
    );
}

async function checkRoom({ homes }: RunProgramDeps, userId: string): Promise<void> {
  if (!(await homes.hasRoom(userId)))
    throw new AppError(
      'QUOTA_EXCEEDED',
      'There is no room left for files; delete some with file_delete first',
    );
}

function fingerprintOf({ command, timeoutMs, network }: ProgramCall): string {
  return messageIdOf('program', command, `${timeoutMs}`, `${network}`);
}
