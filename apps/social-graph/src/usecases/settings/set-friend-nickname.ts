import { FieldChecks } from '@daycare/api';
import { decideNickname } from '../../domain/nickname';
import type { FriendCall, FriendCallDeps } from '../add-friend';
import { findCaller, findPerson } from '../people';
import { refusalError } from '../refusal-error';

export interface SetNicknameCall extends FriendCall {
  readonly nickname: string;
}

export interface SetNicknameAnswer {
  readonly nametag: string;
  readonly nickname: string;
}

const maxNickname = 100;

/** Sets the name under which the caller lists a friend. */
export function makeSetFriendNickname({ directory, changeTie, now }: FriendCallDeps) {
  return async (call: SetNicknameCall): Promise<SetNicknameAnswer> => {
    const { callerId, requestId, traceparent, lookups } = call;
    const nickname = call.nickname.trim();
    const checks = new FieldChecks().requestId(requestId);
    const nametag = checks.nametag(call.nametag, 'nametag');
    checks.line(nickname, 'nickname', { min: 0, max: maxNickname }).done();
    const me = await findCaller(directory, callerId);
    const other = await findPerson(directory, callerId, nametag, { lookups });
    const outcome = await changeTie({
      me,
      other,
      requestId,
      traceparent,
      command: `nickname ${nickname}`,
      decide: (move) => decideNickname(move, nickname),
    });
    if ('refused' in outcome) throw refusalError(outcome, nametag, now());
    return { nametag, nickname };
  };
}
