import { FieldChecks } from '@daycare/errors';
import { decideFriendship, type FriendAnswer } from '../domain/friendship';
import type { Member } from '../domain/pair';
import { decideSharing, type ShareAnswer } from '../domain/sharing';
import type { ChangeTie } from './change-tie';
import { findCaller, findTarget, type Directory, type Target } from './people';
import { refusalError } from './refusal-error';

export interface FriendCall {
  readonly callerId: string;
  readonly requestId: string;
  readonly nametag: string;
}

export interface FriendCallDeps {
  readonly directory: Directory;
  readonly changeTie: ChangeTie;
  readonly now: () => Date;
}

/** Where a call about a nametag left things. */
export type FriendCallAnswer =
  | { readonly kind: 'user'; readonly nametag: string; readonly answer: FriendAnswer }
  | {
      readonly kind: 'subuser';
      readonly nametag: string;
      readonly subuserId: string;
      readonly friendNametag: string;
      readonly answer: ShareAnswer;
    };

/** Asks for a friendship, accepts one, or accepts the offer of a subuser. */
export function makeAddFriend(deps: FriendCallDeps) {
  return (call: FriendCall): Promise<FriendCallAnswer> => callAbout(deps, call, 'add');
}

/** Ends a friendship or a request, or gives up a shared subuser. */
export function makeRemoveFriend(deps: FriendCallDeps) {
  return (call: FriendCall): Promise<FriendCallAnswer> => callAbout(deps, call, 'remove');
}

const shareCommand = { add: 'accept', remove: 'give_up' } as const;

async function callAbout(
  deps: FriendCallDeps,
  { callerId, requestId, nametag: typed }: FriendCall,
  command: 'add' | 'remove',
): Promise<FriendCallAnswer> {
  const checks = new FieldChecks().requestId(requestId);
  const nametag = checks.nametag(typed, 'nametag');
  checks.done();
  const target = await findTarget(deps.directory, callerId, nametag);
  const me = await findCaller(deps.directory, callerId);
  return target.kind === 'user'
    ? aboutUser(deps, me, target.member, requestId, command)
    : aboutSubuser(deps, me, target, requestId, command);
}

async function aboutUser(
  { changeTie, now }: FriendCallDeps,
  me: Member,
  other: Member,
  requestId: string,
  command: 'add' | 'remove',
): Promise<FriendCallAnswer> {
  const outcome = await changeTie({
    me,
    other,
    requestId,
    command,
    decide: (move) => decideFriendship(command, move),
    isNewRequest: (answer) => answer === 'requested',
  });
  if ('refused' in outcome) throw refusalError(outcome, other.nametag, now());
  return { kind: 'user', nametag: other.nametag, answer: outcome.answer };
}

async function aboutSubuser(
  { changeTie, now }: FriendCallDeps,
  me: Member,
  { subuserId, nametag, owner }: Extract<Target, { kind: 'subuser' }>,
  requestId: string,
  command: 'add' | 'remove',
): Promise<FriendCallAnswer> {
  const subuser = { id: subuserId, nametag };
  const outcome = await changeTie({
    me,
    other: owner,
    requestId,
    command: `${shareCommand[command]} ${subuserId}`,
    decide: (move) => decideSharing(shareCommand[command], { ...move, subuser }),
  });
  if ('refused' in outcome) throw refusalError(outcome, nametag, now());
  return {
    kind: 'subuser',
    nametag,
    subuserId,
    friendNametag: owner.nametag,
    answer: outcome.answer,
  };
}
