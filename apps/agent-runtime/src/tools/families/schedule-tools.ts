import { z } from 'zod';
import {
  lowestProvenance,
  maxSchedules,
  type Cron,
  type Heartbeat,
  type ScheduleUsecases,
} from '../../schedules';
import { summaryOf } from '../../shared/text/list-summary';
import { labelled } from '../domain/tool-outcome';
import { defineTool, type Tool } from '../registry/tool';
import { anyAgent, everyone } from '../registry/tool-access';

export interface ScheduleToolsDeps {
  readonly schedules: ScheduleUsecases;
}

const access = { isVisibleTo: everyone, authorise: anyAgent };
const cronId = z.string().describe('The id of the cron, as shown by cron_list');
const firstPage = { pageSize: maxSchedules, pageToken: '' };

export function scheduleTools({ schedules }: ScheduleToolsDeps): Tool[] {
  return [
    cronAddTool(schedules),
    cronListTool(schedules),
    cronPauseTool(schedules),
    cronRemoveTool(schedules),
    heartbeatAddTool(schedules),
    heartbeatListTool(schedules),
    heartbeatRemoveTool(schedules),
  ];
}

function cronAddTool({ createCron }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_add',
    description:
      'Schedules a prompt for an agent at fixed times, repeatedly or once. Without an agentId the prompt goes ' +
      'to a new agent that knows nothing of this conversation, so include everything it needs. Returns the ' +
      'cronId and nextFireAt. Example: {"name": "Digest", "schedule": "30 8 * * MON-FRI", "timezone": ' +
      '"Europe/Vienna", "prompt": "Summarise the news"}.',
    schema: {
      name: z.string().describe('A short display name, up to 100 characters'),
      schedule: z
        .string()
        .describe(
          'A cron expression of five fields: minute, hour, day of month, month, day of week; e.g. ' +
            '30 8 * * MON-FRI',
        ),
      prompt: z.string().describe('The message that the agent receives each time'),
      timezone: z
        .string()
        .optional()
        .describe('An IANA time zone, e.g. Europe/Vienna; defaults to UTC'),
      agentId: z
        .string()
        .optional()
        .describe('An existing agent of your user to receive the prompt, e.g. your own id'),
      once: z.boolean().optional().describe('True to fire only once'),
    },
    ...access,
    async execute(args, { agent: { userId }, requestId, trust, readPrivate }) {
      const { name, schedule, prompt, timezone: timeZone = '', agentId = '', once = false } = args;
      const spec = { name, schedule, prompt, timeZone, agentId, once };
      const cron = await createCron({ ...spec, userId, requestId, trust, readPrivate });
      const nextFireAt = cron.nextFireAt?.toISOString();
      const next = nextFireAt ? `it fires next at ${nextFireAt}` : 'it will not fire';
      const summary = `Added cron ${cron.id}; ${next}`;
      return { summary, cronId: cron.id, agentId: cron.agentId, nextFireAt };
    },
  });
}

function cronListTool({ listCrons }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_list',
    description:
      'Lists all crons of your user, one per line: id, name, schedule, the agent that receives the prompt, and ' +
      'the next time it fires or that it is paused.',
    schema: {},
    ...access,
    async execute(_, { agent: { userId } }) {
      const { crons } = await listCrons({ userId, ...firstPage });
      const summary = summaryOf(crons.map(cronLine), 'There are no crons');
      return labelled({ summary, count: crons.length }, { provenance: lowestProvenance(crons) });
    },
  });
}

function cronPauseTool({ pauseCron }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_pause',
    description:
      'Pauses a cron of your user, or resumes it with resume: true. Times missed while it was paused are not ' +
      'made up. Returns whether it is enabled and when it fires next.',
    schema: {
      cronId,
      resume: z.boolean().optional().describe('True to resume a paused cron'),
    },
    ...access,
    async execute({ cronId: id, resume = false }, { agent: { userId }, requestId }) {
      const cron = await pauseCron({ userId, requestId, cronId: id, resume });
      const nextFireAt = cron.nextFireAt?.toISOString();
      const state = nextFireAt ? `fires next at ${nextFireAt}` : 'is paused';
      const summary = `Cron ${id} ${state}`;
      return { summary, cronId: id, enabled: nextFireAt !== undefined, nextFireAt };
    },
  });
}

function cronRemoveTool({ deleteCron }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_remove',
    description:
      'Permanently removes a cron of your user. If it has its own agent, that agent ends too; work that ' +
      'another agent has already received continues.',
    schema: { cronId },
    ...access,
    async execute({ cronId: id }, { agent: { userId }, requestId }) {
      await deleteCron({ userId, requestId, cronId: id });
      return { summary: `Removed cron ${id}` };
    },
  });
}

function heartbeatAddTool({ createHeartbeat }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'heartbeat_add',
    description:
      'Adds a standing task that is checked about every half hour, together with all other heartbeats of your ' +
      'user, by an agent that knows nothing of this conversation: include everything it needs. For exact ' +
      'times use cron_add. Returns the heartbeatId.',
    schema: {
      title: z.string().describe('A short display name, up to 100 characters'),
      prompt: z.string().describe('What to check and what to do about it'),
    },
    ...access,
    async execute({ title, prompt }, { agent: { userId }, requestId, trust, readPrivate }) {
      const call = { userId, requestId, title, prompt, trust, readPrivate };
      const { id: heartbeatId } = await createHeartbeat(call);
      return { summary: `Added heartbeat ${heartbeatId}`, heartbeatId };
    },
  });
}

function heartbeatListTool({ listHeartbeats }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'heartbeat_list',
    description: 'Lists all heartbeats of your user, one per line: id, title and time of last run.',
    schema: {},
    ...access,
    async execute(_, { agent: { userId } }) {
      const { heartbeats } = await listHeartbeats({ userId, ...firstPage });
      const lines = heartbeats.map(heartbeatLine);
      const summary = summaryOf(lines, 'There are no heartbeats');
      const provenance = lowestProvenance(heartbeats);
      return labelled({ summary, count: lines.length }, { provenance });
    },
  });
}

function heartbeatRemoveTool({ deleteHeartbeat }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'heartbeat_remove',
    description: 'Removes a heartbeat of your user, effective from the next run.',
    schema: {
      heartbeatId: z.string().describe('The id of the heartbeat, as shown by heartbeat_list'),
    },
    ...access,
    async execute({ heartbeatId }, { agent: { userId }, requestId }) {
      await deleteHeartbeat({ userId, requestId, heartbeatId });
      return { summary: `Removed heartbeat ${heartbeatId}` };
    },
  });
}

function cronLine({ id, name, schedule, timeZone, agentId, once, nextFireAt }: Cron): string {
  const times = `schedule=${JSON.stringify(schedule)} timezone=${timeZone}${once ? ' once' : ''}`;
  const next = nextFireAt ? `next=${nextFireAt.toISOString()}` : 'enabled=false';
  return `${id} name=${JSON.stringify(name)} ${times} agent=${agentId} ${next}`;
}

function heartbeatLine({ id, title, lastRunAt }: Heartbeat): string {
  return `${id} title=${JSON.stringify(title)} last=${lastRunAt?.toISOString() ?? 'never'}`;
}
