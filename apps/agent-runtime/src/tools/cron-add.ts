import { z } from 'zod';
import type { ScheduleUsecases } from '../usecases';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeCronAddTool(deps: Pick<ScheduleUsecases, 'createCron'>): Tool {
  return defineTool({
    name: 'cron_add',
    description:
      'Has an agent hear a prompt at set times. Without an agentId a new agent of its own hears it, which ' +
      'knows nothing of this conversation: say everything it needs to know.',
    schema: {
      name: z.string().describe('A short name for people, up to 100 characters'),
      schedule: z
        .string()
        .describe(
          'Five fields: minute, hour, day of month, month, day of week; e.g. 30 8 * * MON-FRI',
        ),
      prompt: z.string().describe('What the agent is told each time'),
      timezone: z.string().optional().describe('An IANA name, e.g. Europe/Vienna; UTC if left out'),
      agentId: z.string().optional().describe('An agent of yours that is to hear it, e.g. you'),
      once: z.boolean().optional().describe('True to fire a single time'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute(args, { agent: { userId }, requestId }) {
      const { name, schedule, prompt, timezone: timeZone = '', agentId = '', once = false } = args;
      const wish = { name, schedule, prompt, timeZone, agentId, once };
      const cron = await deps.createCron({ ...wish, userId, requestId });
      const nextFireAt = cron.nextFireAt?.toISOString();
      const when = nextFireAt ? `it fires next at ${nextFireAt}` : 'it does not fire';
      const summary = `Added the cron ${cron.id}; ${when}`;
      return { summary, cronId: cron.id, agentId: cron.agentId, nextFireAt };
    },
  });
}
