import { adminHeaderOption } from '../../client/auth/admin-authorization';
import { collect } from '../../client/rpc/pages';
import { RequestIds } from '../../client/rpc/request-ids';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toTime } from '../../output/words';
import { defineCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';
import { asOperator, type OperatorClients, type OperatorOptions } from './operator';
import { findUserId } from './users';

interface DeadLettersOptions extends Limited, OperatorOptions {
  readonly user?: string;
  readonly retry?: string;
  readonly discard?: string;
}

export const deadLettersCommand = defineCommand<DeadLettersOptions>({
  name: 'dead-letters',
  description: 'list messages that agents could not handle, across all users; retry or discard one',
  options: [
    limitOption,
    ['--user <nametag>', 'list only dead letters for this user and their subusers'],
    [
      '--retry <id>',
      "put this dead letter back into its agent's inbox or, if it never reached an inbox, try again to deliver it",
    ],
    ['--discard <id>', 'delete this dead letter for good'],
    adminHeaderOption,
  ],
  examples: [
    'admin dead-letters',
    'admin dead-letters --user swiftfox42 -o json',
    'admin dead-letters --retry clx3k2…',
  ],
  hints: {
    NOT_FOUND:
      'The dead letter no longer exists or, with --retry, the agent it is for does not exist.',
  },
  async run({ options, global, ...invocation }) {
    if (options.retry !== undefined && options.discard !== undefined)
      throw new Failure(exitCodes.usage, 'Use either --retry or --discard, not both.');
    const requestId = new RequestIds(global.requestId).next();
    return asOperator(invocation, options, (clients) =>
      options.retry === undefined && options.discard === undefined
        ? list(clients, options)
        : retryOrDiscard(clients, options, requestId),
    );
  },
});

async function retryOrDiscard(
  { 'agent-runtime': runtime }: OperatorClients,
  { retry, discard }: DeadLettersOptions,
  requestId: string,
): Promise<View> {
  if (retry !== undefined) {
    await runtime.retryDeadLetter({ requestId, deadLetterId: retry });
    return textView(`Queued ${retry} for another attempt.`, { deadLetterId: retry });
  }
  const deadLetterId = discard ?? '';
  await runtime.deleteDeadLetter({ requestId, deadLetterId });
  return textView(`Deleted ${deadLetterId}.`, { deadLetterId });
}

async function list(clients: OperatorClients, options: DeadLettersOptions): Promise<View> {
  const { 'agent-runtime': runtime, identity } = clients;
  const userId = options.user === undefined ? undefined : await findUserId(identity, options.user);
  const deadLetters = await collect(options.limit, async (page) => {
    const response = await runtime.listDeadLetters({ ...page, agentId: '', userId });
    return { items: response.deadLetters, nextPageToken: response.nextPageToken };
  });
  return tableView(
    deadLetters,
    [
      ['ID', ({ id }) => id],
      ['DEAD', ({ deadAt }) => toTime(deadAt)],
      ['USER', (letter) => letter.userId],
      ['AGENT', ({ agentId }) => agentId],
      ['FROM', ({ origin }) => origin],
      ['REASON', ({ reason }) => reason],
    ],
    'No dead letters.',
  );
}
