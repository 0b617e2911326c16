import { AppError, messageIdOf, type Trust } from '@daycare/api';
import type { ProgramTrace } from '../../homes';
import { reportOf, type ProgramEnd, type ProgramReport } from '../domain/program-end';
import { limitOwnerId, startedByPerson, type Agent, type AgentCall } from '../../agents';
import type { SandboxRun, SandboxRunStore } from '../store/sandbox-run-store';

export interface ProgramCall {
  readonly command: string;
  readonly timeoutMs: number;
  readonly network: boolean;
}

interface StartedProgram extends ProgramCall {
  readonly directory: string;
  readonly signal: AbortSignal;
}

/** The operations on users' directories that running a program requires. */
export interface ProgramHomes {
  readonly directoryOf: (userId: string) => Promise<string>;
  /** Reports whether the user has room for more files. */
  readonly hasRoom: (userId: string) => Promise<boolean>;
  /** Reports whether the user still has room while a program is running; may be called often. */
  readonly stillHasRoom: (userId: string) => Promise<boolean>;
  /** Records that a program is about to read and write the user's files; `trust` is the trust of its turn. */
  readonly begin: (userId: string, id: string, trust: Trust) => Promise<ProgramTrace>;
  /**
   * Records what the program changed; returns the trust of its output, or undefined if the output can only contain
   * the user's own text.
   */
  readonly end: (trace: ProgramTrace) => Promise<Trust | undefined>;
  /** Called after a program may have written files. */
  readonly recount: (userId: string) => Promise<unknown>;
}

/** Reports whether a person has granted the agent a permission that is still valid and covers this turn. */
export type HasPermission = (
  agent: Pick<Agent, 'id' | 'userId'>,
  permission: string,
  turn: Required<Pick<AgentCall, 'trust' | 'readPrivate' | 'startedBy'>> &
    Pick<AgentCall, 'foreignWriter' | 'hasReadForeign' | 'isShared'>,
) => Promise<boolean>;

export interface RunProgramDeps {
  readonly sandboxRuns: SandboxRunStore;
  readonly hasPermission: HasPermission;
  readonly homes: ProgramHomes;
  /** Whether programs in this installation can get network access at all. */
  readonly networkAllowed: boolean;
  /** Runs the work once a slot is free for this owner; rejects if that takes too long or the signal aborts first. */
  readonly withRunSlot: <T>(
    ownerId: string,
    signal: AbortSignal,
    work: () => Promise<T>,
  ) => Promise<T>;
  readonly runSandboxed: (
    program: StartedProgram & {
      readonly hasRoom: () => Promise<boolean>;
      readonly onReady: () => Promise<void>;
    },
  ) => Promise<ProgramEnd>;
  readonly now: () => Date;
}

/**
 * Runs a program for an agent, with access to the user's files. Starts it at most once per request id: a retry gets
 * the first outcome, or an error if that run was interrupted or is still in progress.
 */
export type RunProgram = (call: AgentCall, program: ProgramCall) => Promise<AuthoredReport>;

/** A program's report, and its trust if it may contain text that is not the user's own. */
export interface AuthoredReport {
  readonly report: ProgramReport;
  readonly writtenBy?: Trust | undefined;
}

export function makeRunProgram(deps: RunProgramDeps): RunProgram {
  return async (call, program) => {
    const { agent, requestId, signal } = call;
    const { userId } = agent;
    const fingerprint = fingerprintOf(program);
    const before = await deps.sandboxRuns.find(userId, requestId);
    if (before) return outcomeOf(before, fingerprint);
    if (program.network) await checkNetwork(deps, call);
    return deps.withRunSlot(limitOwnerId(agent), signal, async () => {
      await requireRoom(deps, userId);
      const directory = await deps.homes.directoryOf(userId);
      const run = { requestId, userId, fingerprint, startedAt: deps.now() };
      if (await deps.sandboxRuns.claim(run))
        return start(deps, run, { ...program, directory, signal, trust: call.trust ?? 'own' });
      return outcomeOf(await deps.sandboxRuns.find(userId, requestId), fingerprint);
    });
  };
}

async function start(
  { homes, sandboxRuns, runSandboxed }: RunProgramDeps,
  { userId, requestId }: SandboxRun,
  { trust, ...program }: StartedProgram & { readonly trust: Trust },
): Promise<AuthoredReport> {
  const hasRoom = (): Promise<boolean> => homes.stillHasRoom(userId);
  let trace: ProgramTrace | undefined;
  const onReady = async (): Promise<void> => {
    trace = await homes.begin(userId, requestId, trust);
  };
  let writtenBy: Trust | undefined;
  const run = async (): Promise<ProgramEnd> => {
    try {
      return await runSandboxed({ ...program, hasRoom, onReady });
    } finally {
      writtenBy = trace && (await homes.end(trace));
    }
  };
  try {
    const report = reportOf(await run());
    await sandboxRuns.finish({ userId, requestId }, { report, writtenBy });
    return { report, writtenBy };
  } finally {
    await homes.recount(userId);
  }
}

/**
 * Returns the first call's outcome, for a retry; throws if it has none, or if that call was for a different program.
 */
function outcomeOf(run: SandboxRun | undefined, fingerprint: string): AuthoredReport {
  if (run && run.fingerprint !== fingerprint)
    throw new AppError(
      'REQUEST_ID_REUSED',
      'The request id was already used for a different program',
    );
  if (run?.report) return { report: run.report, writtenBy: run.writtenBy };
  throw new AppError(
    'FAILED_PRECONDITION',
    'The program was already started; it was interrupted and may have run partially, or it is still running',
  );
}

async function checkNetwork(
  { hasPermission, networkAllowed }: RunProgramDeps,
  call: AgentCall,
): Promise<void> {
  const { agent, trust = 'own', readPrivate = false, startedBy = startedByPerson } = call;
  const { foreignWriter, hasReadForeign, isShared } = call;
  const turn = { trust, readPrivate, foreignWriter, hasReadForeign, isShared, startedBy };
  if (!networkAllowed)
    throw new AppError('PERMISSION_DENIED', 'Programs cannot use the network in this installation');
  if (!(await hasPermission(agent, 'network', turn)))
    throw new AppError(
      'PERMISSION_DENIED',
      'You may not use the network; request the permission "network" with request_permission',
    );
}

async function requireRoom({ homes }: RunProgramDeps, userId: string): Promise<void> {
  if (!(await homes.hasRoom(userId)))
    throw new AppError(
      'QUOTA_EXCEEDED',
      'No space is left for files; delete some with file_delete first',
    );
}

function fingerprintOf({ command, timeoutMs, network }: ProgramCall): string {
  return messageIdOf('program', command, `${timeoutMs}`, `${network}`);
}
