import {
  ownerOf,
  share,
  subuserCall,
  unshare,
  type Name,
  type Subuser,
  type Tell,
  type Tie,
  type User,
} from './share-model';

/** What the social graph promises, written down once more and as plainly as possible. */

interface ShareCall {
  readonly kind: 'share' | 'unshare';
  readonly by: User;
  readonly about: Name;
  readonly subuser: Subuser;
}

export type ModelCall =
  | {
      readonly kind: 'add' | 'remove' | 'send' | 'block' | 'unblock';
      readonly by: User;
      readonly about: Name;
      readonly text: string;
    }
  | ShareCall
  /** By `by`, of a message that `sender` sent, or nobody. */
  | { readonly kind: 'status'; readonly by: User; readonly sender: User | undefined };

export interface Heard {
  readonly from: User;
  readonly to: Name;
  readonly what: string;
  /** Of calls made at the same time the order is anybody's guess. */
  readonly batch: number;
}

export interface ModelState {
  readonly ties: Record<string, Tie>;
  readonly heard: Heard[];
}

/** What one user's list says of another. */
export interface ListedTie {
  readonly friend: string;
  readonly request: string;
  readonly block: string;
}

const pairOf = (one: User, other: User): string => [one, other].sort().join('-');
const isSharing = (call: ModelCall): call is ShareCall =>
  call.kind === 'share' || call.kind === 'unshare';
const isSubuser = (name: Name): name is Subuser => name in ownerOf;
const noTie = (): Tie => ({
  friends: false,
  asker: undefined,
  cooling: [],
  blocking: [],
  told: [],
  shares: {},
});

export function initialState(): ModelState {
  const pairs = ['ada-bob', 'ada-cyd', 'bob-cyd'];
  return { ties: Object.fromEntries(pairs.map((pair) => [pair, noTie()])), heard: [] };
}

/** The answer to a call and what it leaves behind. */
export function applyCall(
  before: ModelState,
  call: ModelCall,
  batch: number,
): { readonly answer: string; readonly state: ModelState } {
  const state = structuredClone(before);
  const tell = (to: Name, what: string): void => {
    state.heard.push({ from: call.by, to, what, batch });
  };
  return { answer: answerTo(state, call, tell), state };
}

function answerTo(state: ModelState, call: ModelCall, tell: Tell): string {
  if (call.kind === 'status') return call.sender === call.by ? 'KNOWN' : 'NOT_FOUND';
  const { by, about } = call;
  if (isSharing(call)) {
    if (ownerOf[call.subuser] !== by) return 'NOT_FOUND';
    if (about === by) return 'INVALID_ARGUMENT';
    if (isSubuser(about)) return 'NOT_FOUND';
    const change = call.kind === 'share' ? share : unshare;
    return change(tieOf(state, by, about), about, call.subuser, tell);
  }
  if (about === by) return 'INVALID_ARGUMENT';
  if (!isSubuser(about)) {
    return userCalls[call.kind]({ tie: tieOf(state, by, about), me: by, about, call, tell });
  }
  const owner = ownerOf[about];
  if (owner === by || call.kind === 'block' || call.kind === 'unblock') return 'NOT_FOUND';
  return subuserCall(tieOf(state, by, owner), call.kind, about, call.text, tell);
}

function tieOf({ ties }: ModelState, one: User, other: User): Tie {
  return ties[pairOf(one, other)]!;
}

interface UserCall {
  readonly tie: Tie;
  readonly me: User;
  readonly about: User;
  readonly call: { readonly text: string };
  readonly tell: Tell;
}

const userCalls = {
  add({ tie, me, about, tell }: UserCall): string {
    if (tie.blocking.includes(me)) return 'BLOCKED_BY_YOU';
    if (tie.friends) return 'FRIENDS';
    if (tie.asker === me) return 'PENDING_OUT';
    if (tie.asker === about) {
      Object.assign(tie, { friends: true, asker: undefined, told: [] });
      tie.cooling = tie.cooling.filter((user) => user !== me);
      tell(about, 'FRIEND_ACCEPTED');
      return 'FRIENDS';
    }
    if (tie.cooling.includes(me)) return 'COOLDOWN';
    tie.asker = me;
    if (tie.blocking.includes(about) || tie.told.includes(me)) return 'PENDING_OUT';
    tie.told.push(me);
    tell(about, 'FRIEND_REQUESTED');
    return 'PENDING_OUT';
  },
  remove({ tie, me, about, tell }: UserCall): string {
    if (tie.friends) {
      endFriendship(tie, me);
      tell(about, 'FRIEND_REMOVED');
      return 'REMOVED';
    }
    const isVisible = tie.asker === me || (tie.asker === about && !tie.blocking.includes(me));
    if (!isVisible) return 'NO_RELATIONSHIP';
    const isMine = tie.asker === me;
    if (!isMine && !tie.cooling.includes(about)) tie.cooling.push(about);
    tie.asker = undefined;
    return isMine ? 'CANCELED' : 'REJECTED';
  },
  send({ tie, about, call, tell }: UserCall): string {
    if (!tie.friends) return 'NOT_FRIENDS';
    tell(about, call.text);
    return 'OK';
  },
  block({ tie, me }: UserCall): string {
    if (tie.blocking.includes(me)) return 'OK';
    if (tie.friends) endFriendship(tie, me);
    if (tie.asker === me) tie.asker = undefined;
    tie.blocking.push(me);
    return 'OK';
  },
  unblock({ tie, me }: UserCall): string {
    if (!tie.blocking.includes(me)) return 'NOT_BLOCKED';
    tie.blocking = tie.blocking.filter((user) => user !== me);
    return 'OK';
  },
};

function endFriendship(tie: Tie, remover: User): void {
  Object.assign(tie, { friends: false, shares: {} });
  if (!tie.cooling.includes(remover)) tie.cooling.push(remover);
}

/** What `me` sees of `other` in its list. */
export function listedTie(state: ModelState, me: User, other: User): ListedTie {
  const tie = tieOf(state, me, other);
  const isBlocking = tie.blocking.includes(me);
  const shares = Object.entries(tie.shares).map(([name, status]) => `${name} ${status}`);
  return {
    friend: tie.friends ? `friend ${shares.sort().join()}` : '',
    request: tie.asker && !isBlocking ? (tie.asker === me ? 'PENDING_OUT' : 'PENDING_IN') : '',
    block: isBlocking ? 'blocked' : '',
  };
}
