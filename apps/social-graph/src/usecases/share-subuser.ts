import { FieldChecks, notFound } from '@daycare/api';
import type { Member } from '../domain/tie/pair';
import {
  decideSharing,
  type ShareAnswer,
  type ShareCommand,
  type SubuserFacts,
} from '../domain/sharing';
import type { FriendCallDeps } from './add-friend';
import type { SyncSharedNames } from './shares/sync-shared-names';
import { countLookup, noLookups, type Lookups } from './lookups';
import { findCaller, findPerson } from './people';
import { refusalError } from './refusal-error';

export interface ShareCall {
  readonly callerId: string;
  readonly requestId: string;
  readonly friendNametag: string;
  readonly subuserId: string;
  readonly traceparent?: string | undefined;
  readonly lookups?: Lookups | undefined;
}

export interface ShareCallAnswer {
  readonly subuserId: string;
  readonly subuserNametag: string;
  readonly friendNametag: string;
  readonly answer: ShareAnswer;
}

export interface ShareCallDeps extends FriendCallDeps {
  /** Returns what friends may currently see of a subuser; undefined when it was deleted. */
  readonly describeSubuser: (subuserId: string) => Promise<SubuserFacts | undefined>;
  readonly syncSharedNames: SyncSharedNames;
}

/** Offers one of the caller's subusers to a friend. */
export function makeShareSubuser(deps: ShareCallDeps) {
  return (call: ShareCall): Promise<ShareCallAnswer> => change(deps, call, 'offer');
}

/** Stops sharing a subuser with a friend, whether or not the offer was accepted. */
export function makeUnshareSubuser(deps: ShareCallDeps) {
  return (call: ShareCall): Promise<ShareCallAnswer> => change(deps, call, 'revoke');
}

async function change(
  deps: ShareCallDeps,
  call: ShareCall,
  command: Extract<ShareCommand, 'offer' | 'revoke'>,
): Promise<ShareCallAnswer> {
  const { callerId, requestId, subuserId, traceparent, lookups } = call;
  const checks = new FieldChecks().requestId(requestId).id(subuserId, 'subuser_id');
  const friendNametag = checks.nametag(call.friendNametag, 'friend_nametag');
  checks.done();
  const me = await findCaller(deps.directory, callerId);
  const ownSubuser = await findOwnSubuser(deps, call);
  const field = 'friend_nametag';
  const other = await findPerson(deps.directory, callerId, friendNametag, { field, lookups });
  const facts = command === 'offer' ? await deps.describeSubuser(subuserId) : undefined;
  if (command === 'offer' && !facts) throw notFound('subuser');
  const subuser = { id: subuserId, nametag: ownSubuser.nametag, ...facts };
  const outcome = await deps.changeTie({
    me,
    other,
    requestId,
    traceparent,
    command: `${command} ${subuserId}`,
    lookups,
    decide: (move) => decideSharing(command, { ...move, subuser }),
    ...(facts && { subuser: facts }),
  });
  if ('refused' in outcome) {
    throw outcome.refused === 'no_share'
      ? notFound('share')
      : refusalError(outcome, friendNametag, deps.now());
  }
  // A rename notice that arrived before the share was stored has not updated the share.
  if (command === 'offer') await deps.syncSharedNames(subuserId);
  return { subuserId, subuserNametag: ownSubuser.nametag, friendNametag, answer: outcome.answer };
}

/** For another user's subuser, throws the same NOT_FOUND as for one that does not exist. */
async function findOwnSubuser(
  { directory }: ShareCallDeps,
  { callerId, subuserId, lookups }: ShareCall,
): Promise<Member> {
  const lookupsHere = noLookups();
  const entry = await directory.findById(subuserId, () => countLookup(lookupsHere, 'ids'));
  if (entry?.parentUserId !== callerId) {
    // This look-up counts only if the call is refused here; a call that continues counts only its later look-ups.
    if (lookups) Object.assign(lookups, lookupsHere);
    throw notFound('subuser');
  }
  return { userId: entry.userId, nametag: entry.nametag };
}
