import { resume } from '@daycare/client';
import { collect } from '../../client/rpc/pages';
import type { Session } from '../../client/session';
import { Speakers } from '../../names/speakers';
import { historyView, renderHistory } from '../../output/history';
import { isForPeople } from '../../output/printer';
import { textView, type View } from '../../output/view';
import { notifyDisconnected } from '../../terminal/notify-disconnected';
import { controlCommands } from './agent-control';
import { exportCommand } from './agent-export';
import { listCommand, showCommand } from './agent-list';
import { messageCommand, startCommand } from './agent-message';
import { sendCommand } from './agent-send';
import { defineCommand, type AnyCommand } from '../kit/command';
import {
  agentArgument,
  limitOption,
  parseCount,
  parseNonNegative,
  type Limited,
} from '../kit/options';

const hints = { NOT_FOUND: 'Run "daycare agent list" to see your agents.' };

interface FromSequence extends Limited {
  readonly after?: number;
}

const afterOption = [
  '--after <sequence>',
  'show only records after this one',
  { parse: parseNonNegative },
] as const;

const history = defineCommand<FromSequence & { newestFirst?: boolean }>({
  name: 'history',
  description:
    "show an agent's message history; --limit keeps the newest records or, with --after but without --newest-first, the oldest of those after the given record",
  args: [agentArgument],
  options: [limitOption, afterOption, ['--newest-first', 'show the newest records first']],
  examples: ['agent history', 'agent history cook --newest-first --limit 10 -o json'],
  hints,
  async run({ session, global, args: [id], options: { limit, after, newestFirst } }) {
    const opened = await session();
    const agentId = await opened.agentId(id);
    // Without --after, --limit selects the newest records.
    const isTail = limit !== undefined && after === undefined;
    const filter = {
      agentId,
      afterSequence: after ?? 0,
      newestFirst: isTail || (newestFirst ?? false),
    };
    const found = await collect(limit, async (page) => {
      const response = await opened.runtime.listHistory({ ...page, ...filter });
      return { items: response.records, nextPageToken: response.nextPageToken };
    });
    const records = isTail && !newestFirst ? found.reverse() : found;
    const speakers = new Speakers(opened);
    if (isForPeople(global.output)) await speakers.prepare(records);
    return {
      data: records,
      render: (style) =>
        records.map((record) => renderHistory(record, style, speakers.nameOf)).join('\n'),
    };
  },
});

const watch = defineCommand<FromSequence>({
  name: 'watch',
  description: 'follow an agent live; reconnects if the connection is lost',
  args: [agentArgument],
  options: [
    ['--limit <count>', 'stop after this many records', { parse: parseCount }],
    [
      '--after <sequence>',
      'start after this record, 0 for the whole history (default: new records only)',
      { parse: parseNonNegative },
    ],
  ],
  examples: ['agent watch', 'agent watch cook --after 0 -o json'],
  hints,
  async run({ session, global, args: [id], options: { limit = Infinity, after } }) {
    const opened = await session();
    const agent = id === undefined ? await opened.mostRecentAgent() : await findAgent(opened, id);
    return watchRecords(opened, {
      agentId: agent.id,
      after: after ?? agent.lastSequence,
      limit,
      showNames: isForPeople(global.output),
    });
  },
});

interface WatchOptions {
  readonly agentId: string;
  readonly after: number;
  readonly limit: number;
  /** Whether friends and agents are shown by name. */
  readonly showNames: boolean;
}

async function* watchRecords(
  session: Session,
  { agentId, after, limit, showNames }: WatchOptions,
): AsyncGenerator<View> {
  let afterSequence = after;
  let seen = 0;
  const speakers = new Speakers(session);
  const open = () => session.runtime.watchAgent({ agentId, afterSequence });
  for await (const { event } of resume(open, { onDisconnect: notifyDisconnected })) {
    if (event?.$case !== 'record') continue;
    afterSequence = event.value.sequence;
    if (showNames) await speakers.prepare([event.value]);
    yield historyView(event.value, speakers.nameOf);
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
  description: "stop an agent's turn and clear its context; the history is kept",
  args: [agentArgument],
  options: [['--message <text>', 'text that the new context begins with']],
  examples: ['agent reset', 'agent reset work --message "New topic"'],
  hints,
  async run({ session, args: [id], options: { message = '' } }) {
    const opened = await session();
    const agentId = await opened.agentId(id);
    await opened.runtime.resetAgent({ requestId: opened.requestIds.next(), agentId, message });
    return textView(`Agent ${agentId} will continue with a new context.`, { agentId });
  },
});

export const agentCommands: readonly AnyCommand[] = [
  listCommand,
  showCommand,
  sendCommand,
  history,
  watch,
  reset,
  messageCommand,
  startCommand,
  ...controlCommands,
  exportCommand,
];
