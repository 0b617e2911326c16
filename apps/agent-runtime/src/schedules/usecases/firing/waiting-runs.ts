import type { InboxReader } from '../../../messaging';
import { isOpen } from '../../domain/run';
import type { Cron } from '../../domain/schedule';

/**
 * Returns the ids of a cron's open runs whose prompts are still in the inbox. A run's end is recorded before its prompt
 * leaves the inbox, so any other open run's prompt was dropped.
 */
export async function findWaitingRuns(
  inbox: Pick<InboxReader, 'find'>,
  { userId, runs }: Pick<Cron, 'userId' | 'runs'>,
): Promise<ReadonlySet<string>> {
  const open = runs.filter(isOpen);
  const [first] = open;
  if (!first) return new Set();
  // All of a cron's runs go to the same agent.
  const ids = open.map(({ id }) => id);
  const found = await inbox.find({ id: first.agentId, userId }, ids);
  return new Set(found.map(({ item }) => item.messageId));
}
