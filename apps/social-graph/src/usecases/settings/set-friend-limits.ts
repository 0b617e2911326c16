import { FieldChecks } from '@daycare/api';
import { decideLimits } from '../../domain/friend-limits';
import type { FriendLimits } from '../../domain/tie/tie';
import type { FriendCall, FriendCallDeps } from '../add-friend';
import { changeSetting } from './change-setting';

export interface SetLimitsCall extends FriendCall {
  readonly limits: FriendLimits;
}

export interface SetLimitsAnswer {
  readonly nametag: string;
  readonly limits: FriendLimits;
}

const maxLimit = 1_000_000;
const outOfRange = `must be between 1 and ${maxLimit}`;
const isInRange = (limit: number | undefined): boolean =>
  limit === undefined || (limit >= 1 && limit <= maxLimit);

/** Sets how much a friend may send to the caller and the caller's subusers. */
export function makeSetFriendLimits(deps: FriendCallDeps) {
  return async (call: SetLimitsCall): Promise<SetLimitsAnswer> => {
    const { limits } = call;
    const { perHour, waiting } = limits;
    const checks = new FieldChecks().requestId(call.requestId);
    const nametag = checks.nametag(call.nametag, 'nametag');
    checks.require(isInRange(perHour), 'messages_per_hour', outOfRange);
    checks.require(isInRange(waiting), 'messages_waiting', outOfRange);
    checks.done();
    await changeSetting(
      deps,
      { ...call, nametag },
      {
        command: `limit ${perHour ?? ''} ${waiting ?? ''}`,
        decide: (move) => decideLimits(move, limits),
      },
    );
    return { nametag, limits };
  };
}
