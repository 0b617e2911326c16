import { collect } from '../client/pages';
import { resume } from '../client/resume';
import type { Session } from '../client/session';
import { historyView, renderHistory } from '../output/history';
import { textView, type View } from '../output/view';
import { tellOfCut } from '../terminal/tell-of-cut';
import { exportCommand } from './agent-export';
import { listCommand, showCommand } from './agent-list';
import { sendCommand } from './agent-send';
import { defineCommand, type AnyCommand } from './command';
import { limitOption, parseCount, parseWhole, type Limited } from './options';

const agentArgument = ['[id]', 'of the agent; the one you talked with last unless given'] as const;
const hints = { NOT_FOUND: 'See "daycare agent list" for the ids of yours.' };

interface FromSequence extends Limited {
  readonly after?: number;
}

const afterOption = [
  '--after <sequence>',
  'only what follows this record',
  { parse: parseWhole },
] as const;

const history = defineCommand<FromSequence & { newestFirst?: boolean }>({
  name: 'history',
  description: 'what an agent has heard and said',
  args: [agentArgument],
  options: [limitOption, afterOption, ['--newest-first', 'the other way round']],
  examples: ['agent history', 'agent history clx3k2… --newest-first --limit 10 -o json'],
  hints,
  async run({ session, args: [id], options: { limit, after, newestFirst } }) {
    const opened = await session();
    const agentId = await opened.agentId(id);
    const filter = { agentId, afterSequence: after ?? 0, newestFirst: newestFirst ?? false };
    const records = await collect(limit, async (page) => {
      const answer = await opened.runtime.listHistory({ ...page, ...filter });
      return { items: answer.records, nextPageToken: answer.nextPageToken };
    });
    return {
      data: records,
      render: (style) => records.map((record) => renderHistory(record, style)).join('\n'),
    };
  },
});

const watch = defineCommand<FromSequence>({
  name: 'watch',
  description: 'follow what an agent hears and says; goes on after a cut',
  args: [agentArgument],
  options: [
    ['--limit <count>', 'end after so many records', { parse: parseCount }],
    [
      '--after <sequence>',
      'begin after this record, with 0 at the beginning; with what is new unless given',
      { parse: parseWhole },
    ],
  ],
  examples: ['agent watch', 'agent watch clx3k2… --after 0 -o json'],
  hints,
  async run({ session, args: [id], options: { limit = Infinity, after } }) {
    const opened = await session();
    const agent = id === undefined ? await opened.mostRecentAgent() : await findAgent(opened, id);
    return watchRecords(opened, {
      agentId: agent.id,
      after: after ?? agent.lastSequence,
      limit,
    });
  },
});

async function* watchRecords(
  { runtime }: Session,
  { agentId, after, limit }: { agentId: string; after: number; limit: number },
): AsyncGenerator<View> {
  let afterSequence = after;
  let seen = 0;
  const open = () => runtime.watchAgent({ agentId, afterSequence });
  for await (const { event } of resume(open, { onCut: tellOfCut })) {
    if (event?.$case !== 'record') continue;
    afterSequence = event.value.sequence;
    yield historyView(event.value);
    seen += 1;
    if (seen >= limit) return;
  }
}

async function findAgent({ runtime }: Session, id: string) {
  const { agent } = await runtime.getAgent({ selector: { $case: 'agentId', value: id } });
  return agent ?? { id, lastSequence: 0 };
}

const reset = defineCommand<{ message?: string }>({
  name: 'reset',
  description: 'have an agent forget its context when it comes to it; its history stays',
  args: [agentArgument],
  options: [['--message <text>', 'kept in the history with the reset']],
  examples: ['agent reset', 'agent reset clx3k2… --message "New topic"'],
  hints,
  async run({ session, args: [id], options: { message = '' } }) {
    const opened = await session();
    const agentId = await opened.agentId(id);
    await opened.runtime.resetAgent({ requestId: opened.requestIds.next(), agentId, message });
    return textView(`Agent ${agentId} will forget its context`, { agentId });
  },
});

export const agentCommands: readonly AnyCommand[] = [
  listCommand,
  showCommand,
  sendCommand,
  history,
  watch,
  reset,
  exportCommand,
];
