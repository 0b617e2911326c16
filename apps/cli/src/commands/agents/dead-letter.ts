import { collect } from '../../client/rpc/pages';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { defineCommand, type AnyCommand } from '../kit/command';
import { limitOption, onlyAgent, type ForAgent, type Limited } from '../kit/options';

const deadLetterArgument = [
  '<id>',
  'id from "daycare dead-letter list"',
  { kind: 'deadLetter' },
] as const;

const list = defineCommand<Limited & ForAgent>({
  name: 'list',
  description:
    "list messages that your own and your subusers' agents could not handle, newest first",
  options: [limitOption, onlyAgent('list only messages to this agent')],
  examples: ['dead-letter list', 'dead-letter list -o json'],
  async run({ session, options: { limit, agent: agentId = '' } }) {
    const { runtime } = await session();
    const deadLetters = await collect(limit, async (page) => {
      const response = await runtime.listDeadLetters({ ...page, agentId });
      return { items: response.deadLetters, nextPageToken: response.nextPageToken };
    });
    return tableView(
      deadLetters,
      [
        ['ID', ({ id }) => id, 'id'],
        ['AGE', ({ deadAt }) => deadAt],
        ['AGENT', ({ agentId }) => agentId, 'id'],
        ['FROM', ({ origin }) => origin, 'long'],
        ['REASON', ({ reason }) => reason, 'long'],
        ['TEXT', ({ text }) => text, 'long'],
      ],
      'No dead letters.',
    );
  },
});

const retry = defineCommand({
  name: 'retry',
  description: "put a message back into its agent's inbox; fix the cause first",
  args: [deadLetterArgument],
  examples: ['dead-letter retry clx3k2…'],
  hints: { NOT_FOUND: 'The dead letter no longer exists, or the agent it is for does not exist.' },
  async run({ session, args: [deadLetterId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.retryDeadLetter({ requestId: requestIds.next(), deadLetterId });
    return textView(`Queued ${deadLetterId} for another attempt.`, { deadLetterId });
  },
});

const remove = defineCommand({
  name: 'delete',
  description: 'delete a message for good (otherwise it expires after 30 days)',
  args: [deadLetterArgument],
  examples: ['dead-letter delete clx3k2…'],
  confirm: ([id]) => `Delete dead letter ${id} for good?`,
  hints: { NOT_FOUND: 'Run "daycare dead-letter list" to see the messages.' },
  async run({ session, args: [deadLetterId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.deleteDeadLetter({ requestId: requestIds.next(), deadLetterId });
    return textView(`Deleted ${deadLetterId}.`, { deadLetterId });
  },
});

export const deadLetterCommands: readonly AnyCommand[] = [list, retry, remove];
