import { collect } from '../client/pages';
import { tableView } from '../output/table';
import { textView } from '../output/view';
import { toTime } from '../output/words';
import { defineCommand, type AnyCommand } from './command';
import { limitOption, type ForAgent, type Limited } from './options';

const list = defineCommand<Limited & ForAgent>({
  name: 'list',
  description: 'messages that agents of yours could not handle, newest first',
  options: [limitOption, ['--agent <id>', 'only those to this agent']],
  examples: ['dead-letter list', 'dead-letter list -o json'],
  async run({ session, options: { limit, agent: agentId = '' } }) {
    const { runtime } = await session();
    const letters = await collect(limit, async (page) => {
      const answer = await runtime.listDeadLetters({ ...page, agentId });
      return { items: answer.deadLetters, nextPageToken: answer.nextPageToken };
    });
    return tableView(
      letters,
      [
        ['ID', ({ id }) => id],
        ['DEAD', ({ deadAt }) => toTime(deadAt)],
        ['AGENT', (letter) => letter.agentId],
        ['FROM', ({ origin }) => origin],
        ['REASON', ({ reason }) => reason],
        ['TEXT', ({ text }) => text],
      ],
      'Nothing was given up.',
    );
  },
});

const retry = defineCommand({
  name: 'retry',
  description: 'put a message back into the inbox of its agent, once the cause is gone',
  args: [['<id>', 'as "daycare dead-letter list" shows it']],
  examples: ['dead-letter retry clx3k2…'],
  hints: { NOT_FOUND: 'It is not there any more, or its agent is still missing.' },
  async run({ session, args: [deadLetterId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.retryDeadLetter({ requestId: requestIds.next(), deadLetterId });
    return textView(`Put ${deadLetterId} back`, { deadLetterId });
  },
});

export const deadLetterCommands: readonly AnyCommand[] = [list, retry];
