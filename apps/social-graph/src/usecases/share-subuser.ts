import { FieldChecks, notFound } from '@daycare/errors';
import type { Member } from '../domain/pair';
import { decideSharing, type ShareAnswer, type ShareCommand } from '../domain/sharing';
import type { FriendCallDeps } from './add-friend';
import type { SubuserFacts } from './notice-draft';
import { findCaller, findPerson } from './people';
import { refusalError } from './refusal-error';

export interface ShareCall {
  readonly callerId: string;
  readonly requestId: string;
  readonly friendNametag: string;
  readonly subuserId: string;
}

export interface ShareCallAnswer {
  readonly subuserId: string;
  readonly subuserNametag: string;
  readonly friendNametag: string;
  readonly answer: ShareAnswer;
}

export interface ShareCallDeps extends FriendCallDeps {
  /** What friends may read of a subuser, as it is now; undefined when it is gone. */
  readonly describeSubuser: (subuserId: string) => Promise<SubuserFacts | undefined>;
}

/** Offers one of the caller's subusers to a friend. */
export function makeShareSubuser(deps: ShareCallDeps) {
  return (call: ShareCall): Promise<ShareCallAnswer> => change(deps, call, 'offer');
}

/** Takes a subuser back from a friend, accepted or not. */
export function makeUnshareSubuser(deps: ShareCallDeps) {
  return (call: ShareCall): Promise<ShareCallAnswer> => change(deps, call, 'revoke');
}

async function change(
  deps: ShareCallDeps,
  call: ShareCall,
  command: Extract<ShareCommand, 'offer' | 'revoke'>,
): Promise<ShareCallAnswer> {
  const { callerId, requestId, subuserId } = call;
  const checks = new FieldChecks().requestId(requestId).id(subuserId, 'subuser_id');
  const friendNametag = checks.nametag(call.friendNametag, 'friend_nametag');
  checks.done();
  const owned = await findOwned(deps, callerId, subuserId);
  const other = await findPerson(deps.directory, callerId, friendNametag, 'friend_nametag');
  const me = await findCaller(deps.directory, callerId);
  const facts = command === 'offer' ? await deps.describeSubuser(subuserId) : undefined;
  if (command === 'offer' && !facts) throw notFound('Subuser');
  const subuser = { id: subuserId, nametag: owned.nametag };
  const outcome = await deps.changeTie({
    me,
    other,
    requestId,
    command: `${command} ${subuserId}`,
    decide: (move) => decideSharing(command, { ...move, subuser }),
    ...(facts && { subuser: facts }),
  });
  if ('refused' in outcome) {
    throw outcome.refused === 'no_share'
      ? notFound('Share')
      : refusalError(outcome, friendNametag, deps.now());
  }
  return { subuserId, subuserNametag: owned.nametag, friendNametag, answer: outcome.answer };
}

/** A subuser of somebody else is as absent as one that does not exist. */
async function findOwned(
  { directory }: ShareCallDeps,
  ownerId: string,
  subuserId: string,
): Promise<Member> {
  const entry = await directory.findById(subuserId);
  if (entry?.parentUserId !== ownerId) throw notFound('Subuser');
  return { userId: entry.userId, nametag: entry.nametag };
}
