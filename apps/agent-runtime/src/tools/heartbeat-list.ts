import { summaryOf } from '../domain/list-summary';
import { mostSchedules, type Heartbeat } from '../domain/schedule';
import type { ScheduleUsecases } from '../usecases';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeHeartbeatListTool(deps: Pick<ScheduleUsecases, 'listHeartbeats'>): Tool {
  return defineTool({
    name: 'heartbeat_list',
    description:
      'Shows all heartbeats of your user, one per line: id, title and when it was last run.',
    schema: {},
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute(_, { agent: { userId } }) {
      const call = { userId, pageSize: mostSchedules, pageToken: '' };
      const { heartbeats } = await deps.listHeartbeats(call);
      const lines = heartbeats.map(lineOf);
      return { summary: summaryOf(lines, 'There are no heartbeats'), count: lines.length };
    },
  });
}

function lineOf({ id, title, lastRunAt }: Heartbeat): string {
  return `${id} title=${JSON.stringify(title)} last=${lastRunAt?.toISOString() ?? 'never'}`;
}
