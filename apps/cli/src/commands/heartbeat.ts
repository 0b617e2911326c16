import { collect } from '../client/pages';
import { recordView } from '../output/record';
import { tableView } from '../output/table';
import { textView } from '../output/view';
import { toTime } from '../output/words';
import { readText } from '../terminal/read-input';
import { defineCommand, type AnyCommand } from './command';
import { limitOption, type Limited } from './options';

const list = defineCommand<Limited>({
  name: 'list',
  description: 'your heartbeats, oldest first',
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
        ['PROMPT', ({ prompt }) => prompt],
      ],
      'You have no heartbeats.',
    );
  },
});

const add = defineCommand({
  name: 'add',
  description: 'add a prompt to the batch that is run every half hour',
  args: [
    ['<title>', 'what it is called, up to 100 characters'],
    ['<prompt>', 'what the agent hears; - reads it from the standard input'],
  ],
  examples: ['heartbeat add Mail "Look whether there is mail"', 'heartbeat add Mail - < prompt.md'],
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
  description: 'remove a heartbeat from the next batch on',
  args: [['<id>', 'as "daycare heartbeat list" shows it']],
  examples: ['heartbeat remove clx3k2…'],
  hints: { NOT_FOUND: 'See "daycare heartbeat list" for the ids.' },
  async run({ session, args: [heartbeatId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.deleteHeartbeat({ requestId: requestIds.next(), heartbeatId });
    return textView(`Removed heartbeat ${heartbeatId}`, { heartbeatId });
  },
});

export const heartbeatCommands: readonly AnyCommand[] = [list, add, remove];
