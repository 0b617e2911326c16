import { FieldChecks } from '@daycare/api';
import { decideNickname } from '../../domain/nickname';
import type { FriendCall, FriendCallDeps } from '../add-friend';
import { changeSetting } from './change-setting';

export interface SetNicknameCall extends FriendCall {
  readonly nickname: string;
}

export interface SetNicknameAnswer {
  readonly nametag: string;
  readonly nickname: string;
}

const maxNicknameLength = 100;

/** Sets the name under which the caller lists a friend. */
export function makeSetFriendNickname(deps: FriendCallDeps) {
  return async (call: SetNicknameCall): Promise<SetNicknameAnswer> => {
    const nickname = call.nickname.trim();
    const checks = new FieldChecks().requestId(call.requestId);
    const nametag = checks.nametag(call.nametag, 'nametag');
    checks.line(nickname, 'nickname', { min: 0, max: maxNicknameLength }).done();
    await changeSetting(
      deps,
      { ...call, nametag },
      { command: `nickname ${nickname}`, decide: (move) => decideNickname(move, nickname) },
    );
    return { nametag, nickname };
  };
}
