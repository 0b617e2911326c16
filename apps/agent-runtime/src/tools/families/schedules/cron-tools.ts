import { z } from 'zod';
import type { RunawayGuards } from '../../../agents';
import {
  lowestAuthorTrust,
  overlapPolicies,
  statusOf,
  type CronView,
  type ScheduleUsecases,
} from '../../../schedules';
import { summaryOf } from '../../../shared/text/list-summary';
import { labelled } from '../../domain/tool-outcome';
import { guardHops } from '../../registry/guard-hops';
import { defineTool, type Tool } from '../../registry/tool';
import { anyAgent, everyone } from '../../registry/tool-access';
import { firstPage, lastRunText, quiet } from './schedule-fields';

export interface CronToolsDeps {
  readonly schedules: ScheduleUsecases;
  readonly guards: RunawayGuards;
}

const access = { isVisibleTo: everyone, authorise: anyAgent };
const cronId = z.string().describe('The id of the cron, as shown by cron_list');
const name = z.string().describe('A short display name, up to 100 characters');
const schedule = z
  .string()
  .describe(
    'A cron expression of five fields: minute, hour, day of month, month, day of week; e.g. ' +
      '30 8 * * MON-FRI. If both day fields are restricted, it fires when either matches: 0 9 1 * MON is every Monday ' +
      'and the first of each month',
  );
const overlap = z
  .enum(overlapPolicies)
  .describe(
    'What to do when a run is due before the previous one has ended: skip it, queue it, or replace the previous ' +
      'one',
  );
const timezone = z.string();

export function cronTools({ schedules, guards }: CronToolsDeps): Tool[] {
  return [
    addTool(schedules),
    editTool(schedules),
    listTool(schedules),
    pauseTool(schedules),
    removeTool(schedules),
    runTool(schedules, guards),
  ];
}

function addTool({ createCron }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_add',
    description:
      'Schedules a prompt for an agent at fixed times, repeatedly or once. Without an agentId, the cron gets its own ' +
      'agent, which starts each run from scratch: it knows nothing about this conversation or earlier runs, so include ' +
      'everything it needs. Its final answer is shown to your user in the conversation they last used, unless quiet is ' +
      'true; an answer that is just the word "nothing" is not shown. Returns the cronId and nextFireAt. Example: ' +
      '{"name": "Digest", "schedule": "30 8 * * MON-FRI", "timezone": "Europe/Vienna", "prompt": "Summarise the news"}.',
    schema: {
      name,
      schedule,
      prompt: z.string().describe('The message that the agent receives each time'),
      timezone: timezone
        .optional()
        .describe("An IANA time zone, e.g. Europe/Vienna; defaults to your user's"),
      agentId: z
        .string()
        .optional()
        .describe(
          'The id of one of your user’s agents, e.g. your own, to receive the prompt in its own conversation',
        ),
      once: z.boolean().optional().describe('True to fire only once'),
      overlap: overlap.optional(),
      quiet: quiet.optional(),
    },
    ...access,
    async execute(args, { agent: { userId }, requestId, trust, readPrivate }) {
      const { timezone: timeZone = '', agentId = '', once = false, ...settings } = args;
      const spec = { ...withoutUndefined(settings), timeZone, agentId, once };
      const cron = await createCron({ ...spec, userId, requestId, trust, readPrivate });
      const nextFireAt = cron.nextFireAt?.toISOString();
      const next = nextFireAt ? `it fires next at ${nextFireAt}` : 'it will not fire';
      const summary = `Added cron ${cron.id}; ${next}`;
      return { summary, cronId: cron.id, agentId: cron.agentId, nextFireAt };
    },
  });
}

function editTool({ updateCron }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_edit',
    description:
      'Changes one of your user’s crons; omitted fields stay the same. A run in progress is not affected. Returns ' +
      'nextFireAt. Example: {"cronId": "…", "schedule": "0 9 * * *"}.',
    schema: {
      cronId,
      name: name.optional(),
      schedule: schedule.optional(),
      prompt: z.string().optional().describe('The message that the agent receives each time'),
      timezone: timezone.optional().describe('An IANA time zone, e.g. Europe/Vienna'),
      overlap: overlap.optional(),
      quiet: quiet.optional(),
    },
    ...access,
    async execute({ cronId: id, timezone: timeZone, ...changes }, context) {
      const { agent, requestId, trust, readPrivate } = context;
      const call = { userId: agent.userId, requestId, cronId: id, trust, readPrivate };
      const cron = await updateCron({ ...call, ...changes, timeZone });
      const nextFireAt = cron.nextFireAt?.toISOString();
      const state = nextFireAt ? `fires next at ${nextFireAt}` : `is ${statusOf(cron)}`;
      return { summary: `Cron ${id} is changed; it ${state}`, cronId: id, nextFireAt };
    },
  });
}

function runTool({ runCron }: ScheduleUsecases, guards: RunawayGuards): Tool {
  return defineTool({
    name: 'cron_run',
    description:
      'Runs one of your user’s crons now, even a paused one, e.g. to test it; its schedule does not change. Returns ' +
      'without waiting for the answer, which is shown to your user unless the cron is quiet.',
    schema: { cronId },
    ...access,
    async execute({ cronId: id }, context) {
      guardHops(context, guards);
      const { agent, requestId, trust, readPrivate, hops } = context;
      const call = { userId: agent.userId, requestId, cronId: id };
      await runCron({ ...call, trust, readPrivate, hops: hops + 1 });
      return { summary: `Cron ${id} runs now`, cronId: id };
    },
  });
}

function listTool({ listCrons }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_list',
    description:
      'Lists all of your user’s crons, one per line: id, name, schedule, the agent that receives the prompt, when it ' +
      'fires next (or whether it is paused or finished), and when the last run was due, with its outcome.',
    schema: {},
    ...access,
    async execute(_, { agent: { userId } }) {
      const { crons } = await listCrons({ userId, ...firstPage });
      const summary = summaryOf(crons.map(cronLine), 'There are no crons');
      return labelled({ summary, count: crons.length }, { provenance: lowestAuthorTrust(crons) });
    },
  });
}

function pauseTool({ pauseCron }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_pause',
    description:
      'Pauses one of your user’s crons, or resumes it with resume: true. Runs missed while it was paused are not ' +
      'made up for. Returns whether it is enabled and when it fires next.',
    schema: {
      cronId,
      resume: z.boolean().optional().describe('True to resume a paused cron'),
    },
    ...access,
    async execute({ cronId: id, resume = false }, { agent: { userId }, requestId }) {
      const cron = await pauseCron({ userId, requestId, cronId: id, resume });
      const nextFireAt = cron.nextFireAt?.toISOString();
      const state = nextFireAt ? `fires next at ${nextFireAt}` : `is ${statusOf(cron)}`;
      const summary = `Cron ${id} ${state}`;
      return { summary, cronId: id, enabled: nextFireAt !== undefined, nextFireAt };
    },
  });
}

function removeTool({ deleteCron }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'cron_remove',
    description:
      'Permanently removes one of your user’s crons. If it has its own agent, that agent ends too; work that another ' +
      'agent has already received continues. Returns a confirmation.',
    schema: { cronId },
    ...access,
    async execute({ cronId: id }, { agent: { userId }, requestId }) {
      await deleteCron({ userId, requestId, cronId: id });
      return { summary: `Removed cron ${id}` };
    },
  });
}

/** Returns the arguments without those that are undefined. */
function withoutUndefined<T extends object>(args: T) {
  const defined = Object.entries(args).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function cronLine(cron: CronView): string {
  const { id, agentId, once, nextFireAt, runs } = cron;
  const times = `schedule=${JSON.stringify(cron.schedule)} timezone=${cron.timeZone}${once ? ' once' : ''}`;
  const next = nextFireAt ? `next=${nextFireAt.toISOString()}` : statusOf(cron);
  const options = `${cron.overlap === 'skip' ? '' : ` overlap=${cron.overlap}`}${cron.quiet ? ' quiet' : ''}`;
  const settings = `name=${JSON.stringify(cron.name)} ${times}${options}`;
  return `${id} ${settings} agent=${agentId} ${next} ${lastRunText(runs[0])}`;
}
