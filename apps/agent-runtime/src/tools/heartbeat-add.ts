import { z } from 'zod';
import type { ScheduleUsecases } from '../usecases';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeHeartbeatAddTool(deps: Pick<ScheduleUsecases, 'createHeartbeat'>): Tool {
  return defineTool({
    name: 'heartbeat_add',
    description:
      'Adds a standing task that is looked after from time to time, about every half an hour, together with ' +
      'all others. An agent of its own does that: say everything it needs to know.',
    schema: {
      title: z.string().describe('A short name for people, up to 100 characters'),
      prompt: z.string().describe('What is to be looked after, and how'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ title, prompt }, { agent: { userId }, requestId }) {
      const { id: heartbeatId } = await deps.createHeartbeat({ userId, requestId, title, prompt });
      return { summary: `Added the heartbeat ${heartbeatId}`, heartbeatId };
    },
  });
}
