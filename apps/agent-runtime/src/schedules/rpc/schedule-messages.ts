import { FieldChecks, type Trust as TrustLevel } from '@daycare/api';
import {
  CronStatus,
  OverlapPolicy,
  RunOutcome,
  type AgentRuntimeServiceService,
  type Cron as CronMessage,
  type Heartbeat as HeartbeatMessage,
  type ScheduleRun,
} from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { enumOf, findWord, type EnumWord } from '@daycare/contracts/enum-words';
import { requireUser, type Handlers, type UserCaller } from '@daycare/rpc';
import { viewRuns, type RunView } from '../domain/run';
import { statusOf, type Cron, type Heartbeat } from '../domain/schedule';
import type { ScheduleUsecases } from '../build';
import type { CronView, HeartbeatView } from '../usecases/describe-runs';

/** Returns a cron as lists show it, without its recent runs. */
function toCronMessage(cron: CronView): CronMessage {
  const { id, userId, name, schedule, timeZone, prompt, agentId, once, quiet } = cron;
  const { nextFireAt, lastFiredAt, createdAt, trust } = cron;
  const facts = { id, userId, name, schedule, timeZone, prompt, agentId, once, quiet };
  const times = { nextFireAt, lastFiredAt, createdAt };
  const [lastRun] = cron.runs;
  return {
    ...facts,
    enabled: nextFireAt !== undefined,
    status: enumOf(CronStatus, statusOf(cron)),
    overlap: enumOf(OverlapPolicy, cron.overlap),
    ...times,
    lastRun: lastRun && toRunMessage(lastRun),
    recentRuns: [],
    ...writtenBy(trust),
  };
}

function toWholeCron(cron: CronView): CronMessage {
  return { ...toCronMessage(cron), recentRuns: cron.runs.map(toRunMessage) };
}

/** Returns a cron as it is stored, without looking up what its runs are waiting for. */
export function toStoredCron(cron: Cron): CronMessage {
  return toCronMessage({ ...cron, runs: viewRuns(cron.runs) });
}

function toHeartbeatMessage(heartbeat: HeartbeatView): HeartbeatMessage {
  const { id, userId, title, prompt, quiet, lastRunAt, lastRun, createdAt, trust } = heartbeat;
  const facts = { id, userId, title, prompt, quiet, lastRunAt, createdAt };
  return { ...facts, lastRun: lastRun && toRunMessage(lastRun), ...writtenBy(trust) };
}

/** Returns a heartbeat as it is stored, without looking up what its run is waiting for. */
export function toStoredHeartbeat({ lastRun, ...heartbeat }: Heartbeat): HeartbeatMessage {
  const [shown] = lastRun ? viewRuns([lastRun]) : [];
  return toHeartbeatMessage({ ...heartbeat, lastRun: shown });
}

function toRunMessage(run: RunView): ScheduleRun {
  const { dueAt, startedAt, endedAt, outcome, reason = '', manual = false, agentId } = run;
  const times = { dueAt, startedAt, endedAt };
  return { ...times, outcome: enumOf(RunOutcome, outcome), reason, manual, agentId };
}

/** Returns the policy that a request names; undefined when it names none. */
function overlapOf(policy: OverlapPolicy): EnumWord<typeof OverlapPolicy> | undefined {
  const word = findWord(OverlapPolicy, policy);
  const isKnown = word !== undefined || policy === OverlapPolicy.UNSPECIFIED;
  new FieldChecks().require(isKnown, 'overlap', 'must be SKIP, QUEUE or REPLACE').done();
  return word;
}

/** Returns the caller and the turn on whose behalf it calls, if any. */
function creatorOf({ userId, trust, carriesPrivate }: UserCaller) {
  return { userId, trust, readPrivate: carriesPrivate };
}

/** Returns who wrote a schedule; the user's own text is the default and not marked. */
function writtenBy(trust: TrustLevel | undefined): Pick<CronMessage, 'writtenBy'> {
  return trust ? { writtenBy: enumOf(Trust, trust) } : {};
}

/** The handlers of the schedule RPCs. */
export function scheduleHandlers(
  usecases: ScheduleUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  return {
    createCron: async (request, { caller }) => {
      const { overlap: policy, ...spec } = request;
      const overlap = overlapOf(policy);
      const call = { ...spec, ...(overlap && { overlap }), ...creatorOf(requireUser(caller)) };
      return { cron: toStoredCron(await usecases.createCron(call)) };
    },
    getCron: async ({ cronId }, { caller }) => {
      const { userId } = requireUser(caller);
      return { cron: toWholeCron(await usecases.getCron({ userId, cronId })) };
    },
    runCron: async (request, { caller }) => {
      const user = requireUser(caller);
      const call = { ...request, ...creatorOf(user), hops: user.hops };
      return { cron: toStoredCron(await usecases.runCron(call)) };
    },
    updateCron: async ({ overlap: policy, ...changes }, { caller }) => {
      const overlap = policy === undefined ? undefined : (overlapOf(policy) ?? 'skip');
      const call = { ...changes, overlap, ...creatorOf(requireUser(caller)) };
      return { cron: toStoredCron(await usecases.updateCron(call)) };
    },
    listCrons: async (request, { caller }) => {
      const call = { ...request, userId: requireUser(caller).userId };
      const { crons, nextPageToken } = await usecases.listCrons(call);
      return { crons: crons.map(toCronMessage), nextPageToken };
    },
    pauseCron: async (request, { caller }) => {
      const call = { ...request, userId: requireUser(caller).userId };
      return { cron: toStoredCron(await usecases.pauseCron(call)) };
    },
    deleteCron: async (request, { caller }) => {
      await usecases.deleteCron({ ...request, userId: requireUser(caller).userId });
      return {};
    },
    createHeartbeat: async (request, { caller }) => {
      const call = { ...request, ...creatorOf(requireUser(caller)) };
      const heartbeat = await usecases.createHeartbeat(call);
      return { heartbeat: toStoredHeartbeat(heartbeat) };
    },
    listHeartbeats: async (request, { caller }) => {
      const call = { ...request, userId: requireUser(caller).userId };
      const { heartbeats, nextPageToken } = await usecases.listHeartbeats(call);
      return { heartbeats: heartbeats.map(toHeartbeatMessage), nextPageToken };
    },
    deleteHeartbeat: async (request, { caller }) => {
      await usecases.deleteHeartbeat({ ...request, userId: requireUser(caller).userId });
      return {};
    },
  };
}
