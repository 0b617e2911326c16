import type { Move } from './friendship';
import { refuse, type Decision, type Side, type Tie } from './tie/tie';

export type NicknameAnswer = 'named';

/** Sets what one side calls the other, which the other side never sees; an empty string removes the nickname. */
export function decideNickname({ tie, me }: Move, nickname: string): Decision<NicknameAnswer> {
  if (tie.bond.kind !== 'friends') return refuse('not_friends');
  return { tie: withNickname(tie, me, nickname), answer: 'named', notice: undefined };
}

function withNickname({ nicknames = {}, ...tie }: Tie, me: Side, nickname: string): Tie {
  const { [me]: _before, ...others } = nicknames;
  const next = nickname === '' ? others : { ...others, [me]: nickname };
  return Object.keys(next).length === 0 ? tie : { ...tie, nicknames: next };
}
