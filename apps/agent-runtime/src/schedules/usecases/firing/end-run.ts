import { messageIdOf } from '@daycare/api';
import type { AttachedFile, EndedTurn, EndRun } from '../../../agents';
import { resultPrefix, type DeliverToForeground, type MessageFiles } from '../../../messaging';
import { wasCarriedOut, type Run, type RunEnding } from '../../domain/run';
import { resultOf } from '../../domain/run-result';
import { maxSchedules, type Cron } from '../../domain/schedule';
import type { CronStore } from '../../store/cron-store';
import type { HeartbeatStore } from '../../store/heartbeat-store';

export interface EndRunDeps {
  readonly crons: Pick<CronStore, 'runs'>;
  readonly heartbeats: Pick<HeartbeatStore, 'endRun' | 'list'>;
  readonly files: Pick<MessageFiles, 'findMany'>;
  readonly deliverToForeground: DeliverToForeground;
  readonly hintUser: (userId: string) => void;
  /** The schedule clock. */
  readonly scheduleNow: () => Date;
}

/**
 * Records how a run has ended and shows the result to the person. Any replica can repeat this, because a run ends only
 * once and the result message's id is derived from the ids of the messages that the turn answered.
 */
export function makeEndRun(deps: EndRunDeps): EndRun {
  return async (turn) => {
    const { agent, messageIds, scheduled } = turn;
    const ended = await recordEnd(deps, turn, endingOf(turn, deps.scheduleNow()));
    deps.hintUser(agent.userId);
    // The person sees a foreground agent's answers anyway.
    if (!ended || ended.quiet || agent.foreground) return;
    const files = await findFiles(deps, turn);
    const result = resultOf({ ...turn, files, outcome: ended.outcome }, ended.hadFailedBefore);
    if (!result) return;
    const { origin, hops, trust, readPrivate, foreignWriter } = scheduled;
    await deps.deliverToForeground({
      messageId: messageIdOf('schedule-result', ...messageIds),
      senderUserId: agent.userId,
      origin: `${resultPrefix}${origin}`,
      ...(ended.name === undefined ? {} : { originName: ended.name }),
      forPerson: true,
      ...result,
      hops,
      silent: true,
      trust,
      carriesPrivate: readPrivate,
      foreignWriter,
    });
  };
}

/** Finds the run's files that the user has not deleted. */
async function findFiles(
  { files }: EndRunDeps,
  { agent, scheduled }: EndedTurn,
): Promise<readonly AttachedFile[]> {
  const ids = (scheduled.files ?? []).map(({ id }) => id);
  return ids.length === 0 ? [] : files.findMany(agent.userId, ids);
}

interface RecordedEnd {
  readonly name?: string;
  readonly quiet: boolean;
  /** The recorded outcome: a run that was replaced stays replaced. */
  readonly outcome: Run['outcome'];
  readonly hadFailedBefore: boolean;
}

function endingOf({ outcome, reason }: EndedTurn, endedAt: Date): RunEnding {
  return { outcome, endedAt, ...(reason === undefined ? {} : { reason }) };
}

/**
 * Records the end in the run's schedule; returns undefined when the cron has been deleted, or when the user has no
 * heartbeats left.
 */
async function recordEnd(
  deps: EndRunDeps,
  turn: EndedTurn,
  ending: RunEnding,
): Promise<RecordedEnd | undefined> {
  const { agent, scheduled, messageIds } = turn;
  const [runId = ''] = messageIds;
  return scheduled.origin === 'heartbeat'
    ? endOfHeartbeats(deps, agent.userId, runId, ending)
    : endOfCron(deps, { userId: agent.userId, id: cronIdIn(scheduled.origin) }, runId, ending);
}

async function endOfCron(
  { crons }: EndRunDeps,
  id: Pick<Cron, 'userId' | 'id'>,
  runId: string,
  ending: RunEnding,
): Promise<RecordedEnd | undefined> {
  const cron = await crons.runs.end(id, runId, ending);
  if (!cron) return undefined;
  const at = cron.runs.findIndex((run) => run.id === runId);
  const run = cron.runs[at];
  const before = cron.runs.slice(0, Math.max(0, at)).filter(wasCarriedOut).at(-1);
  return {
    name: cron.name,
    quiet: cron.quiet,
    // Follow-up work, such as an approved call, has no run of its own.
    outcome: run?.outcome ?? ending.outcome,
    hadFailedBefore: before?.outcome === 'failed',
  };
}

async function endOfHeartbeats(
  { heartbeats }: EndRunDeps,
  userId: string,
  runId: string,
  ending: RunEnding,
): Promise<RecordedEnd | undefined> {
  const ended = await heartbeats.endRun(userId, runId, ending);
  const [first] = ended;
  if (!first) return endOfFollowUp(heartbeats, userId, ending);
  return {
    quiet: first.quiet,
    outcome: first.lastRun?.outcome ?? ending.outcome,
    hadFailedBefore: first.lastRun?.afterFailure === true,
  };
}

/**
 * For a turn that is not the newest run of any remaining heartbeat, e.g. because it carried out a call that a run had
 * asked for: records nothing. The result is hidden if all of the user's heartbeats are quiet.
 */
async function endOfFollowUp(
  heartbeats: Pick<HeartbeatStore, 'list'>,
  userId: string,
  { outcome }: RunEnding,
): Promise<RecordedEnd | undefined> {
  const remaining = await heartbeats.list({
    userIds: [userId],
    after: undefined,
    limit: maxSchedules,
  });
  if (remaining.length === 0) return undefined;
  return { quiet: remaining.every(({ quiet }) => quiet), outcome, hadFailedBefore: false };
}

function cronIdIn(origin: string): string {
  return origin.slice(origin.indexOf(':') + 1);
}
