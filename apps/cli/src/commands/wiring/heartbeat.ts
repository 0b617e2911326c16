import { Trust } from '@daycare/contracts/common';
import { collect } from '../../client/rpc/pages';
import { recordView } from '../../output/record';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { toTime, toWord } from '../../output/words';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';

const list = defineCommand<Limited>({
  name: 'list',
  description: 'list your heartbeats, oldest first',
  options: [limitOption],
  examples: ['heartbeat list', 'heartbeat list -o json'],
  async run({ session, options }) {
    const { runtime } = await session();
    const heartbeats = await collect(options.limit, async (page) => {
      const { heartbeats: items, nextPageToken } = await runtime.listHeartbeats(page);
      return { items, nextPageToken };
    });
    return tableView(
      heartbeats,
      [
        ['ID', ({ id }) => id],
        ['TITLE', ({ title }) => title],
        ['LAST RUN', ({ lastRunAt }) => toTime(lastRunAt)],
        ['WRITTEN BY', ({ writtenBy }) => toWord(Trust, writtenBy)],
        ['PROMPT', ({ prompt }) => prompt],
      ],
      'You have no heartbeats.',
    );
  },
});

const add = defineCommand({
  name: 'add',
  description: 'add a prompt to the batch that runs every half hour',
  args: [
    ['<title>', 'title of the heartbeat, up to 100 characters'],
    ['<prompt>', 'prompt for the agent; - reads it from standard input'],
  ],
  examples: ['heartbeat add Mail "Check for new mail"', 'heartbeat add Mail - < prompt.md'],
  async run({ session, args: [title = '', prompt = ''] }) {
    const { runtime, requestIds } = await session();
    const request = { requestId: requestIds.next(), title, prompt: await readText(prompt) };
    const { heartbeat } = await runtime.createHeartbeat(request);
    return recordView(heartbeat, [
      ['id', heartbeat?.id ?? ''],
      ['title', heartbeat?.title ?? ''],
      ['prompt', heartbeat?.prompt ?? ''],
    ]);
  },
});

const remove = defineCommand({
  name: 'remove',
  description: 'remove a heartbeat; takes effect with the next batch',
  args: [['<id>', 'id from "daycare heartbeat list"']],
  examples: ['heartbeat remove clx3k2…'],
  hints: { NOT_FOUND: 'Run "daycare heartbeat list" to see your heartbeats.' },
  async run({ session, args: [heartbeatId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.deleteHeartbeat({ requestId: requestIds.next(), heartbeatId });
    return textView(`Removed heartbeat ${heartbeatId}.`, { heartbeatId });
  },
});

export const heartbeatCommands: readonly AnyCommand[] = [list, add, remove];
