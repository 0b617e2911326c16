import { FieldChecks } from '@daycare/api';
import { decideBlock, decideUnblock, type BlockAnswer } from '../domain/blocking';
import type { Move } from '../domain/friendship';
import { isRefusal, type Decision, type TiePolicy } from '../domain/tie/tie';
import type { TieStore } from '../store/tie-store';
import type { FriendCall, FriendCallDeps } from './add-friend';
import { findCaller, findPerson } from './people';
import { refusalError } from './refusal-error';

export interface BlockCallAnswer {
  readonly nametag: string;
  readonly answer: BlockAnswer;
}

export interface BlockCallDeps extends FriendCallDeps {
  readonly ties: Pick<TieStore, 'countBlocks'>;
  readonly policy: TiePolicy;
  /** Counts a block by this user; throws if there have been too many in an hour. */
  readonly limitBlocks: (userId: string) => void;
}

/** Blocks a user. A friendship with the user ends without a notice, and nothing from the user is delivered any more. */
export function makeBlockUser(deps: BlockCallDeps) {
  return async (call: FriendCall): Promise<BlockCallAnswer> => {
    // Concurrent calls can together exceed the limit.
    const blocks = await deps.ties.countBlocks(call.callerId, deps.policy.maxBlocks);
    let isCounted = false;
    return change(deps, call, 'block', (move) => {
      const decision = decideBlock(move, blocks);
      // A retry is not counted, nor is a block of an already blocked user. After a lost race, this runs again.
      if (!isRefusal(decision) && decision.answer === 'blocked' && !isCounted) {
        deps.limitBlocks(call.callerId);
        isCounted = true;
      }
      return decision;
    });
  };
}

/** Lifts a block; the former friendship is not restored. */
export function makeUnblockUser(deps: FriendCallDeps) {
  return (call: FriendCall): Promise<BlockCallAnswer> =>
    change(deps, call, 'unblock', decideUnblock);
}

async function change(
  { directory, changeTie, now }: FriendCallDeps,
  { callerId, requestId, nametag: typed, traceparent, lookups }: FriendCall,
  command: string,
  decide: (move: Move) => Decision<BlockAnswer>,
): Promise<BlockCallAnswer> {
  const checks = new FieldChecks().requestId(requestId);
  const nametag = checks.nametag(typed, 'nametag');
  checks.done();
  const me = await findCaller(directory, callerId);
  const other = await findPerson(directory, callerId, nametag, { lookups });
  const outcome = await changeTie({ me, other, requestId, traceparent, command, decide });
  if ('refused' in outcome) throw refusalError(outcome, nametag, now());
  return { nametag, answer: outcome.answer };
}
