import type { Cron } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { collect } from '../../client/rpc/pages';
import { recordView } from '../../output/record';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toTime, toWord, toYesNo } from '../../output/words';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand, type Call } from '../kit/command';
import { limitOption, type ForAgent, type Limited } from '../kit/options';

const id = ['<id>', 'id from "daycare cron list"'] as const;
const hints = { NOT_FOUND: 'Run "daycare cron list" to see your crons.' };

const list = defineCommand<Limited>({
  name: 'list',
  description: 'list your crons, oldest first',
  options: [limitOption],
  examples: ['cron list', 'cron list -o json'],
  async run({ session, options }) {
    const { runtime } = await session();
    const crons = await collect(options.limit, async (page) => {
      const { crons: items, nextPageToken } = await runtime.listCrons(page);
      return { items, nextPageToken };
    });
    return tableView(
      crons,
      [
        ['ID', (cron) => cron.id],
        ['NAME', ({ name }) => name],
        ['SCHEDULE', ({ schedule }) => schedule],
        ['TIME ZONE', ({ timeZone }) => timeZone],
        ['ENABLED', ({ enabled }) => toYesNo(enabled)],
        ['NEXT', ({ nextFireAt }) => toTime(nextFireAt)],
        ['WRITTEN BY', ({ writtenBy }) => toWord(Trust, writtenBy)],
        ['PROMPT', ({ prompt }) => prompt],
      ],
      'You have no crons.',
    );
  },
});

const add = defineCommand<ForAgent & { timeZone?: string; once?: boolean }>({
  name: 'add',
  description: 'schedule a prompt',
  args: [
    ['<name>', 'name of the cron, up to 100 characters'],
    ['<schedule>', 'five fields: minute, hour, day of month, month, day of week'],
    ['<prompt>', 'prompt for the agent; - reads it from standard input'],
  ],
  options: [
    ['--time-zone <name>', 'IANA time zone, e.g. Europe/Vienna (default: UTC)'],
    ['--agent <id>', 'agent that runs the prompt (default: a dedicated one)'],
    ['--once', 'run only once'],
  ],
  examples: [
    'cron add standup "0 9 * * 1-5" "Ask how it is going" --time-zone Europe/Vienna',
    'cron add report "0 17 * * 5" - < prompt.md',
  ],
  async run({ session, args: [name = '', schedule = '', prompt = ''], options }) {
    const { runtime, requestIds } = await session();
    const { timeZone = '', agent: agentId = '', once = false } = options;
    const { cron } = await runtime.createCron({
      requestId: requestIds.next(),
      ...{ name, schedule, timeZone, agentId, once },
      prompt: await readText(prompt),
    });
    return cronView(cron);
  },
});

const pause = defineCommand({
  name: 'pause',
  description: 'pause a cron',
  args: [id],
  examples: ['cron pause clx3k2…'],
  hints,
  run: (call) => setEnabled(call, false),
});

const resume = defineCommand({
  name: 'resume',
  description: 'resume a paused cron; missed runs are skipped',
  args: [id],
  examples: ['cron resume clx3k2…'],
  hints,
  run: (call) => setEnabled(call, true),
});

async function setEnabled({ session, args }: Call<object>, enabled: boolean): Promise<View> {
  const { runtime, requestIds } = await session();
  const [cronId = ''] = args;
  const request = { requestId: requestIds.next(), cronId, resume: enabled };
  return cronView((await runtime.pauseCron(request)).cron);
}

const remove = defineCommand({
  name: 'remove',
  description: 'remove a cron',
  args: [id],
  examples: ['cron remove clx3k2…'],
  hints,
  async run({ session, args: [cronId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.deleteCron({ requestId: requestIds.next(), cronId });
    return textView(`Removed cron ${cronId}.`, { cronId });
  },
});

function cronView(cron: Cron | undefined): View {
  return recordView(cron, [
    ['id', cron?.id ?? ''],
    ['name', cron?.name ?? ''],
    ['schedule', cron?.schedule ?? ''],
    ['time zone', cron?.timeZone ?? ''],
    ['enabled', toYesNo(cron?.enabled ?? false)],
    ['next', toTime(cron?.nextFireAt)],
    ['agent', cron?.agentId ?? ''],
    ['prompt', cron?.prompt ?? ''],
  ]);
}

export const cronCommands: readonly AnyCommand[] = [list, add, pause, resume, remove];
