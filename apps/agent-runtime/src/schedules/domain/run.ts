export const overlapPolicies = ['skip', 'queue', 'replace'] as const;

/** What happens to a run that is due while an earlier one of the same cron is in progress. */
export type OverlapPolicy = (typeof overlapPolicies)[number];

/** How a run has ended; `running` if it has not ended, even if its prompt is still waiting in an inbox. */
export type RunOutcome = 'running' | 'answered' | 'failed' | 'stopped' | 'skipped' | 'replaced';

/** One tick of a schedule, or one requested run, and its outcome. Times are by the schedule clock. */
export interface Run {
  /** The id of the message with the prompt. */
  readonly id: string;
  readonly dueAt: Date;
  /** Present if a person or an agent requested the run; `dueAt` is then the time of the request, not of a tick. */
  readonly manual?: true;
  readonly agentId: string;
  readonly startedAt: Date;
  readonly outcome: RunOutcome;
  readonly endedAt?: Date;
  /** Why the run has no answer. */
  readonly reason?: string;
  /** The id of the run that replaced this one. */
  readonly replacedBy?: string;
}

export type NewRun = Pick<Run, 'id' | 'dueAt' | 'manual' | 'agentId' | 'startedAt'>;

/** How and when a run ended, and why if it has no answer. */
export type RunEnding = Required<Pick<Run, 'outcome' | 'endedAt'>> & Pick<Run, 'reason'>;

/** How many runs of a cron may wait behind the one in progress. */
export const maxQueuedRuns = 32;
/** How many of the newest ended runs are kept; the last run that was carried out is kept even if it is older. */
export const maxRecentRuns = 10;

export function isOpen({ outcome }: Pick<Run, 'outcome'>): boolean {
  return outcome === 'running';
}

/** Reports whether a run was carried out, successfully or not. */
export function wasCarriedOut({ outcome }: Pick<Run, 'outcome'>): boolean {
  return outcome === 'answered' || outcome === 'failed';
}

/** The decision on a run that is due. */
export interface Admission {
  /** All runs of the cron after the decision, oldest first. */
  readonly runs: readonly Run[];
  /** The run as this decision, or an earlier one, admitted or skipped it. */
  readonly run: Run;
  /** The runs that `run` replaces. */
  readonly replaced: readonly Run[];
  /** False when the decision had already been made, in which case `runs` is the same as before. */
  readonly isChanged: boolean;
}

/**
 * Decides whether a run that is due is admitted or skipped, and which runs it replaces; an earlier decision on the same
 * run stands. `waiting` has the ids of the open runs whose prompts are still in an inbox. The prompt of any other open
 * run was dropped, so that run is marked as failed.
 */
export function admitRun(
  before: readonly Run[],
  due: NewRun,
  policy: OverlapPolicy,
  waiting: ReadonlySet<string>,
): Admission {
  const decided = before.find(({ id }) => id === due.id);
  if (decided)
    return { runs: before, run: decided, replaced: runsReplacedBy(before, due), isChanged: false };
  const now = due.startedAt;
  const checked = before.map((run) =>
    isOpen(run) && !waiting.has(run.id) ? markDropped(run, now) : run,
  );
  const openCount = checked.filter(isOpen).length;
  const isSkipped = openCount > (policy === 'queue' ? maxQueuedRuns : 0) && policy !== 'replace';
  const run: Run = isSkipped
    ? { ...due, outcome: 'skipped', endedAt: now, reason: skipReason(policy) }
    : { ...due, outcome: 'running' };
  const earlier = policy === 'replace' ? checked.map((each) => markReplaced(each, run)) : checked;
  const runs = trimRuns([...earlier, run]);
  return { runs, run, replaced: runsReplacedBy(runs, run), isChanged: true };
}

/** Reports whether a run that is due now would be skipped. */
export function wouldSkip(
  runs: readonly Run[],
  policy: OverlapPolicy,
  waiting: ReadonlySet<string>,
): boolean {
  const openCount = runs.filter((run) => isOpen(run) && waiting.has(run.id)).length;
  return policy !== 'replace' && openCount > (policy === 'queue' ? maxQueuedRuns : 0);
}

/**
 * Keeps all runs that have not ended, the newest ended ones, and the last one that was carried out: if that one failed,
 * the next failure is not shown to the person.
 */
function trimRuns(runs: readonly Run[]): readonly Run[] {
  const ended = runs.filter((run) => !isOpen(run));
  const lastCarriedOut = runs.findLast(wasCarriedOut);
  const old = ended.slice(0, Math.max(0, ended.length - maxRecentRuns));
  const forgotten = new Set(old.filter((run) => run !== lastCarriedOut));
  return runs.filter((run) => !forgotten.has(run));
}

function markReplaced(run: Run, { id, startedAt }: Run): Run {
  if (!isOpen(run) || run.id === id) return run;
  return { ...run, outcome: 'replaced', endedAt: startedAt, replacedBy: id };
}

function runsReplacedBy(runs: readonly Run[], { id }: Pick<Run, 'id'>): readonly Run[] {
  return runs.filter((run) => run.replacedBy === id);
}

function markDropped(run: Run, endedAt: Date): Run {
  return { ...run, outcome: 'failed', endedAt, reason: 'The run was dropped before it ended' };
}

function skipReason(policy: OverlapPolicy): string {
  return policy === 'queue'
    ? `${maxQueuedRuns} runs were waiting already`
    : 'The previous run had not ended';
}

/** A run as people see it. */
export interface RunView extends Omit<Run, 'outcome'> {
  /** `queued` behind another run; `waiting` for an outside condition, such as a provider. */
  readonly outcome: Run['outcome'] | 'queued' | 'waiting';
}

/** What an agent is waiting for, and until when. */
export interface RunWait {
  readonly for: string;
  readonly until: Date;
}

/** Returns the runs as people see them, newest first. `waitOf` returns what an agent is waiting for now. */
export function viewRuns(
  runs: readonly Run[],
  waitOf: (agentId: string) => RunWait | undefined = () => undefined,
): readonly RunView[] {
  const first = runs.find(isOpen);
  return runs.map((run) => viewRun(run, run === first, waitOf(run.agentId))).reverse();
}

function viewRun(run: Run, isFirst: boolean, wait: RunWait | undefined): RunView {
  if (!isOpen(run)) return run;
  if (!isFirst) return { ...run, outcome: 'queued' };
  if (!wait) return run;
  return {
    ...run,
    outcome: 'waiting',
    reason: `Waiting for ${wait.for} until ${wait.until.toISOString()}`,
  };
}
