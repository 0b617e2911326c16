import { z } from 'zod';
import type { ScheduleUsecases } from '../usecases';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeHeartbeatRemoveTool(deps: Pick<ScheduleUsecases, 'deleteHeartbeat'>): Tool {
  return defineTool({
    name: 'heartbeat_remove',
    description: 'Removes a heartbeat of your user, from the next batch on.',
    schema: { heartbeatId: z.string().describe('Its id, as heartbeat_list shows it') },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ heartbeatId }, { agent: { userId }, requestId }) {
      await deps.deleteHeartbeat({ userId, requestId, heartbeatId });
      return { summary: `Removed the heartbeat ${heartbeatId}` };
    },
  });
}
