import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { requireUser, type Handlers, type UserCaller } from '@daycare/rpc';
import type { ScheduleUsecases } from '../build';
import {
  readOverlap,
  toCronMessage,
  toHeartbeatMessage,
  toStoredCron,
  toStoredHeartbeat,
  toWholeCron,
} from './schedule-messages';

/** The handlers of the schedule RPCs. */
export function scheduleHandlers(
  usecases: ScheduleUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  return {
    createCron: async (request, { caller }) => {
      const { overlap: policy, ...spec } = request;
      const overlap = readOverlap(policy);
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
      const overlap = policy === undefined ? undefined : (readOverlap(policy) ?? 'skip');
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

/** Returns the calling user and, if an agent makes the call, the facts about the agent's turn. */
function creatorOf({ userId, trust, carriesPrivate }: UserCaller) {
  return { userId, trust, readPrivate: carriesPrivate };
}
