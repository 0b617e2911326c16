import {
  ownerOf,
  share,
  subuserCall,
  unshare,
  type Name,
  type Subuser,
  type Notify,
  type Tie,
  type User,
} from './share-model';

/** What social-graph promises, implemented a second time and as plainly as possible. */

interface ShareCall {
  readonly kind: 'share' | 'unshare';
  readonly by: User;
  readonly target: Name;
  readonly subuser: Subuser;
}

/** Asks for the status of a message. If the message does not exist, the sender and text are undefined. */
interface StatusCall {
  readonly kind: 'status';
  readonly by: User;
  readonly sender: User | undefined;
  /** The text of the message. */
  readonly text: string | undefined;
}

export type ModelCall =
  | {
      readonly kind: 'add' | 'remove' | 'send' | 'block' | 'unblock';
      readonly by: User;
      readonly target: Name;
      readonly text: string;
    }
  | ShareCall
  | StatusCall;

export interface ReceivedMessage {
  readonly from: User;
  readonly to: Name;
  readonly what: string;
  /** The number of the batch of concurrent calls that sent it. Messages of one batch may arrive in any order. */
  readonly batch: number;
  /** Set if the friendship or share that allowed the message has ended, perhaps before it was delivered. */
  mayBeLost?: true;
}

export interface ModelState {
  readonly ties: Record<string, Tie>;
  readonly received: ReceivedMessage[];
}

/** The entry for another user in a user's list. */
export interface ListedTie {
  readonly friend: string;
  readonly request: string;
  readonly block: string;
}

const pairOf = (one: User, other: User): string => [one, other].sort().join('-');
const isSharing = (call: ModelCall): call is ShareCall =>
  call.kind === 'share' || call.kind === 'unshare';
const isSubuser = (name: Name): name is Subuser => name in ownerOf;
const newTie = (): Tie => ({
  friends: false,
  requester: undefined,
  cooling: [],
  blocking: [],
  notified: [],
  shares: {},
});

export function initialState(): ModelState {
  const pairs = ['ada-bob', 'ada-cyd', 'bob-cyd'];
  return { ties: Object.fromEntries(pairs.map((pair) => [pair, newTie()])), received: [] };
}

/** Returns the possible answers to a call and the state after it. */
export function applyCall(
  before: ModelState,
  call: ModelCall,
  batch: number,
): { readonly answers: readonly string[]; readonly state: ModelState } {
  if (call.kind === 'status') return { answers: statusesOf(before, call), state: before };
  const state = structuredClone(before);
  const notify = (to: Name, what: string): void => {
    state.received.push({ from: call.by, to, what, batch });
  };
  const answer = answerTo(state, call, notify);
  for (const pair of Object.keys(state.ties))
    markMessagesThatMayBeLost(state, before.ties[pair]!, pair);
  return { answers: [answer], state };
}

/** A message is "ENDED" if the tie or share that allowed it has ended, unless its receipt had arrived before. */
function statusesOf({ received }: ModelState, { by, sender, text }: StatusCall): string[] {
  if (sender !== by) return ['NOT_FOUND'];
  const mayHaveEnded = received.some(
    ({ from, what, mayBeLost }) => from === sender && what === text && mayBeLost,
  );
  return mayHaveEnded ? ['KNOWN', 'ENDED'] : ['KNOWN'];
}

/** Marks the messages whose friendship or share has ended, because they may end undelivered; notices never do. */
function markMessagesThatMayBeLost(
  { ties, received }: ModelState,
  before: Tie,
  pair: string,
): void {
  const after = ties[pair]!;
  const members = pair.split('-');
  const hasEnded = (to: Name): boolean =>
    isSubuser(to)
      ? before.shares[to] === 'ACTIVE' && after.shares[to] !== 'ACTIVE'
      : before.friends && !after.friends;
  for (const item of received) {
    const { from, to } = item;
    const isBetween = [from, isSubuser(to) ? ownerOf[to] : to].every((user) =>
      members.includes(user),
    );
    const isToOwnSubuser = isSubuser(to) && ownerOf[to] === from;
    if (isBetween && !isToOwnSubuser && isMessage(item) && hasEnded(to)) item.mayBeLost = true;
  }
}

/** Reports whether this is a message rather than a notice. */
const isMessage = ({ what }: ReceivedMessage): boolean => what.startsWith('message ');

function answerTo(state: ModelState, call: Exclude<ModelCall, StatusCall>, notify: Notify): string {
  const { by, target } = call;
  if (isSharing(call)) {
    if (ownerOf[call.subuser] !== by) return 'NOT_FOUND';
    if (target === by) return 'INVALID_ARGUMENT';
    if (isSubuser(target)) return 'NOT_FOUND';
    const change = call.kind === 'share' ? share : unshare;
    return change(tieOf(state, by, target), target, call.subuser, notify);
  }
  if (target === by) return 'INVALID_ARGUMENT';
  if (!isSubuser(target)) {
    return userCalls[call.kind]({ tie: tieOf(state, by, target), me: by, target, call, notify });
  }
  const owner = ownerOf[target];
  if (owner === by && call.kind === 'send') {
    notify(target, call.text);
    return 'OK';
  }
  if (owner === by || call.kind === 'block' || call.kind === 'unblock') return 'NOT_FOUND';
  return subuserCall(tieOf(state, by, owner), call.kind, target, call.text, notify);
}

function tieOf({ ties }: ModelState, one: User, other: User): Tie {
  return ties[pairOf(one, other)]!;
}

interface UserCall {
  readonly tie: Tie;
  readonly me: User;
  readonly target: User;
  readonly call: { readonly text: string };
  readonly notify: Notify;
}

const userCalls = {
  add({ tie, me, target, notify }: UserCall): string {
    if (tie.blocking.includes(me)) return 'BLOCKED_BY_YOU';
    if (tie.friends) return 'FRIENDS';
    if (tie.requester === me) return 'PENDING_OUT';
    if (tie.requester === target) {
      Object.assign(tie, { friends: true, requester: undefined, notified: [] });
      tie.cooling = tie.cooling.filter((user) => user !== me);
      notify(target, 'FRIEND_ACCEPTED');
      return 'FRIENDS';
    }
    if (tie.cooling.includes(me)) return 'COOLDOWN';
    tie.requester = me;
    if (tie.blocking.includes(target) || tie.notified.includes(me)) return 'PENDING_OUT';
    tie.notified.push(me);
    notify(target, 'FRIEND_REQUESTED');
    return 'PENDING_OUT';
  },
  remove({ tie, me, target, notify }: UserCall): string {
    if (tie.friends) {
      endFriendship(tie, me);
      notify(target, 'FRIEND_REMOVED');
      return 'REMOVED';
    }
    const isVisible =
      tie.requester === me || (tie.requester === target && !tie.blocking.includes(me));
    if (!isVisible) return 'NO_RELATIONSHIP';
    const isMine = tie.requester === me;
    if (!isMine && !tie.cooling.includes(target)) tie.cooling.push(target);
    tie.requester = undefined;
    return isMine ? 'CANCELED' : 'REJECTED';
  },
  send({ tie, target, call, notify }: UserCall): string {
    if (!tie.friends) return 'NOT_FRIENDS';
    notify(target, call.text);
    return 'OK';
  },
  block({ tie, me }: UserCall): string {
    if (tie.blocking.includes(me)) return 'OK';
    if (tie.friends) endFriendship(tie, me);
    if (tie.requester === me) tie.requester = undefined;
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

/** Returns the entry for `other` in `me`'s list. */
export function listedTie(state: ModelState, me: User, other: User): ListedTie {
  const tie = tieOf(state, me, other);
  const isBlocking = tie.blocking.includes(me);
  const shares = Object.entries(tie.shares).map(([name, status]) => `${name} ${status}`);
  return {
    friend: tie.friends ? `friend ${shares.sort().join()}` : '',
    request:
      tie.requester && !isBlocking ? (tie.requester === me ? 'PENDING_OUT' : 'PENDING_IN') : '',
    block: isBlocking ? 'blocked' : '',
  };
}
