import { FieldChecks } from '@daycare/api';
import { decideFriendship, type FriendAnswer } from '../domain/friendship';
import type { Member } from '../domain/tie/pair';
import { decideSharing, type ShareAnswer } from '../domain/sharing';
import type { ChangeTie, TieCallContext } from './change-tie';
import type { Lookups } from './lookups';
import { findCaller, findTarget, type Directory, type Target } from './people';
import { refusalError } from './refusal-error';

export interface FriendCall {
  readonly callerId: string;
  readonly requestId: string;
  readonly nametag: string;
  readonly traceparent?: string | undefined;
  readonly lookups?: Lookups | undefined;
}

export interface FriendCallDeps {
  readonly directory: Directory;
  readonly changeTie: ChangeTie;
  readonly now: () => Date;
}

/** The outcome of a call that names a user or a shared subuser. */
export type FriendCallAnswer =
  | { readonly kind: 'user'; readonly nametag: string; readonly answer: FriendAnswer }
  | {
      readonly kind: 'subuser';
      readonly nametag: string;
      readonly subuserId: string;
      readonly friendNametag: string;
      readonly answer: ShareAnswer;
    };

/** Sends a friend request, accepts one, or accepts an offered subuser. */
export function makeAddFriend(deps: FriendCallDeps) {
  return (call: FriendCall): Promise<FriendCallAnswer> => runCommand(deps, call, 'add');
}

/** Ends a friendship, withdraws or rejects a request, or gives up a shared subuser. */
export function makeRemoveFriend(deps: FriendCallDeps) {
  return (call: FriendCall): Promise<FriendCallAnswer> => runCommand(deps, call, 'remove');
}

const shareCommand = { add: 'accept', remove: 'give_up' } as const;

async function runCommand(
  deps: FriendCallDeps,
  { callerId, requestId, nametag: typed, traceparent, lookups }: FriendCall,
  command: 'add' | 'remove',
): Promise<FriendCallAnswer> {
  const checks = new FieldChecks().requestId(requestId);
  const nametag = checks.nametag(typed, 'nametag');
  checks.done();
  const me = await findCaller(deps.directory, callerId);
  const target = await findTarget(deps.directory, callerId, nametag, { lookups });
  const request = { requestId, traceparent, lookups };
  return target.kind === 'user'
    ? runOnUser(deps, me, target.member, request, command)
    : runOnSubuser(deps, me, target, request, command);
}

async function runOnUser(
  { changeTie, now }: FriendCallDeps,
  me: Member,
  other: Member,
  request: TieCallContext,
  command: 'add' | 'remove',
): Promise<FriendCallAnswer> {
  const outcome = await changeTie({
    me,
    other,
    ...request,
    command,
    decide: (move) => decideFriendship(command, move),
    isNewRequest: (answer) => answer === 'requested',
  });
  if ('refused' in outcome) throw refusalError(outcome, other.nametag, now());
  return { kind: 'user', nametag: other.nametag, answer: outcome.answer };
}

async function runOnSubuser(
  { changeTie, now }: FriendCallDeps,
  me: Member,
  { subuserId, nametag, owner }: Extract<Target, { kind: 'subuser' }>,
  request: TieCallContext,
  command: 'add' | 'remove',
): Promise<FriendCallAnswer> {
  const subuser = { id: subuserId, nametag };
  const outcome = await changeTie({
    me,
    other: owner,
    ...request,
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
