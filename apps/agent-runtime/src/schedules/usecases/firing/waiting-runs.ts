import type { InboxReader } from '../../../messaging';
import { isOpen } from '../../domain/run';
import type { Cron } from '../../domain/schedule';

/**
 * Which open runs of a cron still have their prompt in the inbox. The end of a run is recorded before its
 * prompt leaves the inbox, so the prompt of any other open run was dropped.
 */
export async function findWaitingRuns(
  inbox: Pick<InboxReader, 'find'>,
  { userId, runs }: Pick<Cron, 'userId' | 'runs'>,
): Promise<ReadonlySet<string>> {
  const open = runs.filter(isOpen);
  const [first] = open;
  if (!first) return new Set();
  // All runs of a cron are for the same agent.
  const ids = open.map(({ id }) => id);
  const found = await inbox.find({ id: first.agentId, userId }, ids);
  return new Set(found.map(({ item }) => item.messageId));
}
