import { AppError, FieldChecks } from '@daycare/api';
import type { AgentReader } from '../../agents';
import type { InboxReader } from '../../messaging';
import { wouldSkip } from '../domain/run';
import { requesterProvenance, type CreatingTurn, type Cron } from '../domain/schedule';
import type { CronChange, CronStore, FiringCron } from '../store/cron-store';
import { findCron, beingChanged } from './find-cron';
import { findWaitingRuns } from './firing/waiting-runs';

export interface RunCronCall extends CronChange, CreatingTurn {
  /** The number of agents in the chain that led to the call. */
  readonly hops?: number | undefined;
}

export interface RunCronDeps {
  readonly crons: CronStore;
  readonly agents: Pick<AgentReader, 'find'>;
  readonly inbox: Pick<InboxReader, 'find'>;
  readonly fireCron: (cron: FiringCron, mayContinue: () => boolean) => Promise<void>;
  /** The schedule clock. */
  readonly scheduleNow: () => Date;
}

const maxAttempts = 5;
const noFurtherTick = (): boolean => false;

/**
 * Runs a cron now, whether or not it is paused; its next tick does not change. The run is claimed like a
 * tick, so that it is delivered even if this replica dies.
 */
export function makeRunCron(deps: RunCronDeps) {
  const { crons } = deps;
  return async (call: RunCronCall): Promise<Cron> => {
    new FieldChecks().requestId(call.requestId).id(call.cronId, 'cron_id').done();
    for (let attempt = 0; ; attempt += 1) {
      await finishTick(deps, call);
      if (await crons.hasApplied(call)) return findCron(crons, call);
      if (attempt === maxAttempts) throw beingChanged();
      await checkRun(deps, await findCron(crons, call));
      const { requestId, hops = 0 } = call;
      const manual = { requestId, hops, ...requesterProvenance(call) };
      await crons.runs.claim(call, deps.scheduleNow(), manual);
    }
  };
}

/** Finishes the tick in progress, whether it was claimed earlier or by this call. */
async function finishTick({ crons, fireCron }: RunCronDeps, call: RunCronCall): Promise<void> {
  const firing = await crons.findFiring(call);
  if (firing) await fireCron(firing, noFurtherTick);
}

async function checkRun({ agents, inbox }: RunCronDeps, cron: Cron): Promise<void> {
  if (cron.agentId !== '' && (await agents.find(cron.agentId))?.diedAt)
    throw new AppError('FAILED_PRECONDITION', "The cron's agent is dead");
  if (wouldSkip(cron.runs, cron.overlap, await findWaitingRuns(inbox, cron)))
    throw new AppError('FAILED_PRECONDITION', stillRunning(cron));
}

function stillRunning({ overlap }: Cron): string {
  return overlap === 'queue'
    ? 'Too many runs of the cron are waiting already; try again later'
    : 'The cron is still running; wait until it has ended, or set its overlap policy to queue or replace';
}
