import type {
  AgentRuntimeServiceService,
  Cron as CronMessage,
  Heartbeat as HeartbeatMessage,
} from '@daycare/contracts/agent-runtime';
import type { Handlers } from '@daycare/rpc';
import type { Cron, Heartbeat } from '../domain/schedule';
import type { ScheduleUsecases } from '../usecases';
import { userOf } from './user-of';

export function toCronMessage(cron: Cron): CronMessage {
  const { id, userId, name, schedule, timeZone, prompt, agentId, once } = cron;
  const { nextFireAt, lastFiredAt, createdAt } = cron;
  const facts = { id, userId, name, schedule, timeZone, prompt, agentId, once };
  return { ...facts, enabled: nextFireAt !== undefined, nextFireAt, lastFiredAt, createdAt };
}

export function toHeartbeatMessage(heartbeat: Heartbeat): HeartbeatMessage {
  const { id, userId, title, prompt, lastRunAt, createdAt } = heartbeat;
  return { id, userId, title, prompt, lastRunAt, createdAt };
}

/** The RPCs about schedules. */
export function scheduleHandlers(
  usecases: ScheduleUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  return {
    createCron: async (request, { caller }) => {
      const call = { ...request, userId: userOf(caller).userId };
      return { cron: toCronMessage(await usecases.createCron(call)) };
    },
    listCrons: async (request, { caller }) => {
      const call = { ...request, userId: userOf(caller).userId };
      const { crons, nextPageToken } = await usecases.listCrons(call);
      return { crons: crons.map(toCronMessage), nextPageToken };
    },
    pauseCron: async (request, { caller }) => {
      const call = { ...request, userId: userOf(caller).userId };
      return { cron: toCronMessage(await usecases.pauseCron(call)) };
    },
    deleteCron: async (request, { caller }) => {
      await usecases.deleteCron({ ...request, userId: userOf(caller).userId });
      return {};
    },
    createHeartbeat: async (request, { caller }) => {
      const call = { ...request, userId: userOf(caller).userId };
      return { heartbeat: toHeartbeatMessage(await usecases.createHeartbeat(call)) };
    },
    listHeartbeats: async (request, { caller }) => {
      const call = { ...request, userId: userOf(caller).userId };
      const { heartbeats, nextPageToken } = await usecases.listHeartbeats(call);
      return { heartbeats: heartbeats.map(toHeartbeatMessage), nextPageToken };
    },
    deleteHeartbeat: async (request, { caller }) => {
      await usecases.deleteHeartbeat({ ...request, userId: userOf(caller).userId });
      return {};
    },
  };
}
