import { summaryOf } from '../domain/list-summary';
import { mostSchedules, type Cron } from '../domain/schedule';
import type { ScheduleUsecases } from '../usecases';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

export function makeCronListTool(deps: Pick<ScheduleUsecases, 'listCrons'>): Tool {
  return defineTool({
    name: 'cron_list',
    description:
      'Shows all crons of your user, one per line: id, name, when it fires, which agent hears it and whether ' +
      'it is paused.',
    schema: {},
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute(_, { agent: { userId } }) {
      const call = { userId, pageSize: mostSchedules, pageToken: '' };
      const { crons } = await deps.listCrons(call);
      return { summary: summaryOf(crons.map(lineOf), 'There are no crons'), count: crons.length };
    },
  });
}

function lineOf({ id, name, schedule, timeZone, agentId, once, nextFireAt }: Cron): string {
  const when = `schedule=${JSON.stringify(schedule)} timezone=${timeZone}${once ? ' once' : ''}`;
  const next = nextFireAt ? `next=${nextFireAt.toISOString()}` : 'enabled=false';
  return `${id} name=${JSON.stringify(name)} ${when} agent=${agentId} ${next}`;
}
