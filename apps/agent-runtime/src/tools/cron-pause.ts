import { z } from 'zod';
import type { ScheduleUsecases } from '../usecases';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeCronPauseTool(deps: Pick<ScheduleUsecases, 'pauseCron'>): Tool {
  return defineTool({
    name: 'cron_pause',
    description:
      'Keeps a cron of your user from firing, or lets it fire again. What it misses while it is paused is not ' +
      'made up for.',
    schema: {
      cronId: z.string().describe('Its id, as cron_list shows it'),
      resume: z.boolean().optional().describe('True to let it fire again'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ cronId, resume = false }, { agent: { userId }, requestId }) {
      const cron = await deps.pauseCron({ userId, requestId, cronId, resume });
      const nextFireAt = cron.nextFireAt?.toISOString();
      const state = nextFireAt ? `fires next at ${nextFireAt}` : 'is paused';
      const summary = `The cron ${cronId} ${state}`;
      return { summary, cronId, enabled: nextFireAt !== undefined, nextFireAt };
    },
  });
}
