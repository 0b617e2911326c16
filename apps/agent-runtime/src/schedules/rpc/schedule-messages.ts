import type {
  AgentRuntimeServiceService,
  Cron as CronMessage,
  Heartbeat as HeartbeatMessage,
} from '@daycare/contracts/agent-runtime';
import type { Trust as TrustLevel } from '@daycare/api';
import { Trust } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import { requireUser, type Handlers, type UserCaller } from '@daycare/rpc';
import type { Cron, Heartbeat } from '../domain/schedule';
import type { ScheduleUsecases } from '../build';

export function toCronMessage(cron: Cron): CronMessage {
  const { id, userId, name, schedule, timeZone, prompt, agentId, once } = cron;
  const { nextFireAt, lastFiredAt, createdAt, trust } = cron;
  const facts = { id, userId, name, schedule, timeZone, prompt, agentId, once };
  const times = { nextFireAt, lastFiredAt, createdAt };
  return { ...facts, enabled: nextFireAt !== undefined, ...times, ...writtenBy(trust) };
}

export function toHeartbeatMessage(heartbeat: Heartbeat): HeartbeatMessage {
  const { id, userId, title, prompt, lastRunAt, createdAt, trust } = heartbeat;
  return { id, userId, title, prompt, lastRunAt, createdAt, ...writtenBy(trust) };
}

/** The caller, and the turn on whose behalf it calls, if any. */
function creatorOf({ userId, trust, carriesPrivate }: UserCaller) {
  return { userId, trust, readPrivate: carriesPrivate };
}

/** The user's own text is the default and not marked. */
function writtenBy(trust: TrustLevel | undefined): Pick<CronMessage, 'writtenBy'> {
  return trust ? { writtenBy: enumOf(Trust, trust) } : {};
}

/** The handlers of the schedule RPCs. */
export function scheduleHandlers(
  usecases: ScheduleUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  return {
    createCron: async (request, { caller }) => {
      const call = { ...request, ...creatorOf(requireUser(caller)) };
      return { cron: toCronMessage(await usecases.createCron(call)) };
    },
    listCrons: async (request, { caller }) => {
      const call = { ...request, userId: requireUser(caller).userId };
      const { crons, nextPageToken } = await usecases.listCrons(call);
      return { crons: crons.map(toCronMessage), nextPageToken };
    },
    pauseCron: async (request, { caller }) => {
      const call = { ...request, userId: requireUser(caller).userId };
      return { cron: toCronMessage(await usecases.pauseCron(call)) };
    },
    deleteCron: async (request, { caller }) => {
      await usecases.deleteCron({ ...request, userId: requireUser(caller).userId });
      return {};
    },
    createHeartbeat: async (request, { caller }) => {
      const call = { ...request, ...creatorOf(requireUser(caller)) };
      return { heartbeat: toHeartbeatMessage(await usecases.createHeartbeat(call)) };
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
