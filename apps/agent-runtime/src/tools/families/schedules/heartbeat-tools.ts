import { z } from 'zod';
import { lowestAuthorTrust, type HeartbeatView, type ScheduleUsecases } from '../../../schedules';
import { summaryOf } from '../../../shared/text/list-summary';
import { labelled } from '../../domain/tool-outcome';
import { defineTool, type Tool } from '../../registry/tool';
import { anyAgent, everyone } from '../../registry/tool-access';
import { firstPage, lastRunText, quiet } from './schedule-fields';

export interface HeartbeatToolsDeps {
  readonly schedules: ScheduleUsecases;
}

const access = { isVisibleTo: everyone, authorise: anyAgent };

export function heartbeatTools({ schedules }: HeartbeatToolsDeps): Tool[] {
  return [addTool(schedules), listTool(schedules), removeTool(schedules)];
}

function addTool({ createHeartbeat }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'heartbeat_add',
    description:
      'Adds a standing task that is checked about every half hour, together with your user’s other heartbeats. The agent ' +
      'that checks it knows nothing about this conversation or earlier checks, so include everything it needs. Its ' +
      'answer is shown to your user unless it has nothing to report or quiet is true. For exact times, use cron_add. ' +
      'Returns the heartbeatId.',
    schema: {
      title: z.string().describe('A short display name, up to 100 characters'),
      prompt: z.string().describe('What to check and what to do about it'),
      quiet: quiet.optional(),
    },
    ...access,
    async execute({ title, prompt, quiet: isQuiet = false }, context) {
      const { agent, requestId, trust, readPrivate } = context;
      const spec = { title, prompt, quiet: isQuiet };
      const call = { userId: agent.userId, requestId, ...spec, trust, readPrivate };
      const { id: heartbeatId } = await createHeartbeat(call);
      return { summary: `Added heartbeat ${heartbeatId}`, heartbeatId };
    },
  });
}

function listTool({ listHeartbeats }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'heartbeat_list',
    description:
      'Lists all of your user’s heartbeats, one per line: id, title, and when the last run was due, with its outcome.',
    schema: {},
    ...access,
    async execute(_, { agent: { userId } }) {
      const { heartbeats } = await listHeartbeats({ userId, ...firstPage });
      const lines = heartbeats.map(heartbeatLine);
      const summary = summaryOf(lines, 'There are no heartbeats');
      const provenance = lowestAuthorTrust(heartbeats);
      return labelled({ summary, count: lines.length }, { provenance });
    },
  });
}

function removeTool({ deleteHeartbeat }: ScheduleUsecases): Tool {
  return defineTool({
    name: 'heartbeat_remove',
    description:
      'Permanently removes one of your user’s heartbeats; the next run no longer checks it. Returns a confirmation.',
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

function heartbeatLine({
  id,
  title,
  quiet: isQuiet,
  lastRunAt,
  lastRun: run,
}: HeartbeatView): string {
  const last = run ? lastRunText(run) : `last=${lastRunAt?.toISOString() ?? 'never'}`;
  return `${id} title=${JSON.stringify(title)}${isQuiet ? ' quiet' : ''} ${last}`;
}
