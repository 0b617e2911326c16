import type { FriendCall, FriendCallDeps } from '../add-friend';
import type { TieCommand } from '../change-tie';
import { findCaller, findPerson } from '../people';
import { refusalError } from '../refusal-error';

/** Changes one of the caller's settings for a friend; throws if the two are not friends. */
export async function changeSetting<A extends string>(
  { directory, changeTie, now }: FriendCallDeps,
  { callerId, requestId, traceparent, lookups, nametag }: FriendCall,
  change: Pick<TieCommand<A>, 'command' | 'decide'>,
): Promise<void> {
  const me = await findCaller(directory, callerId);
  const other = await findPerson(directory, callerId, nametag, { lookups });
  const outcome = await changeTie({ me, other, requestId, traceparent, ...change });
  if ('refused' in outcome) throw refusalError(outcome, nametag, now());
}
