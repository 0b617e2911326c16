import { z } from 'zod';
import type { ScheduleUsecases } from '../usecases';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeCronRemoveTool(deps: Pick<ScheduleUsecases, 'deleteCron'>): Tool {
  return defineTool({
    name: 'cron_remove',
    description:
      'Removes a cron of your user for good, and ends the agent of its own if it has one. What another agent ' +
      'has already heard goes on.',
    schema: { cronId: z.string().describe('Its id, as cron_list shows it') },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ cronId }, { agent: { userId }, requestId }) {
      await deps.deleteCron({ userId, requestId, cronId });
      return { summary: `Removed the cron ${cronId}` };
    },
  });
}
