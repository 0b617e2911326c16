import { NoticeKind } from '@daycare/contracts/common';
import type { User } from '@daycare/contracts/identity';
import { ShareStatus, TieState } from '@daycare/contracts/social-graph';
import type { Person } from '../people/people';
import type { Graph } from '../clients/clients';

/** The two people in one run of a change. */
export interface Pair {
  readonly ada: Person;
  readonly bob: Person;
  /** Ada's subuser. */
  readonly helper: User;
}

/** One side's state after the change: their lists, and everything they received from the other side. */
export interface Outcome {
  readonly friends: readonly object[];
  readonly requests: readonly object[];
  readonly received: readonly string[];
}

/** A call that may be retried with the same request id. */
export type Call = (graph: Graph, pair: Pair, requestId: string) => Promise<object>;

export interface Change {
  /** What the caller does, as the continuation of "when a user …". */
  readonly title: string;
  /** The calls that prepare the change. */
  readonly history: readonly Call[];
  readonly call: Call;
  readonly outcome: (pair: Pair) => { readonly ada: Outcome; readonly bob: Outcome };
}

const ask: Call = (graph, { ada, bob }, requestId) =>
  graph.addFriend({ requestId, nametag: bob.nametag }, ada.as);
const accept: Call = (graph, { ada, bob }, requestId) =>
  graph.addFriend({ requestId, nametag: ada.nametag }, bob.as);
const share: Call = (graph, { ada, bob, helper }, requestId) =>
  graph.shareSubuser({ requestId, friendNametag: bob.nametag, subuserId: helper.id }, ada.as);
const acceptShare: Call = (graph, { bob, helper }, requestId) =>
  graph.addFriend({ requestId, nametag: helper.nametag }, bob.as);
const unfriend: Call = (graph, { ada, bob }, requestId) =>
  graph.removeFriend({ requestId, nametag: bob.nametag }, ada.as);
const send: Call = (graph, { ada, bob }, requestId) =>
  graph.sendFriendMessage({ requestId, nametag: bob.nametag, message: 'Good morning' }, ada.as);

const { FRIEND_REQUESTED, FRIEND_ACCEPTED, FRIEND_REMOVED, SHARE_OFFERED, SHARE_ACCEPTED } =
  NoticeKind;

/** Changes that notify the other user, and one that sends a message and changes no tie. */
export const changes: readonly Change[] = [
  {
    title: 'sends a friend request',
    history: [],
    call: ask,
    outcome: ({ ada, bob }) => ({
      ada: {
        friends: [],
        requests: [{ nametag: bob.nametag, state: TieState.PENDING_OUT }],
        received: [],
      },
      bob: {
        friends: [],
        requests: [{ nametag: ada.nametag, state: TieState.PENDING_IN }],
        received: [FRIEND_REQUESTED],
      },
    }),
  },
  {
    title: 'accepts a friend request',
    history: [ask],
    call: accept,
    outcome: ({ ada, bob }) => ({
      ada: { friends: [{ nametag: bob.nametag }], requests: [], received: [FRIEND_ACCEPTED] },
      bob: { friends: [{ nametag: ada.nametag }], requests: [], received: [FRIEND_REQUESTED] },
    }),
  },
  {
    title: 'offers a subuser',
    history: [ask, accept],
    call: share,
    outcome: ({ ada, bob, helper }) => {
      const shares = [{ subuserId: helper.id, status: ShareStatus.PENDING }];
      return {
        ada: {
          friends: [{ nametag: bob.nametag, sharesOut: shares, sharesIn: [] }],
          requests: [],
          received: [FRIEND_ACCEPTED],
        },
        bob: {
          friends: [{ nametag: ada.nametag, sharesOut: [], sharesIn: shares }],
          requests: [],
          received: [FRIEND_REQUESTED, SHARE_OFFERED],
        },
      };
    },
  },
  {
    title: 'ends a friendship with all its shares',
    history: [ask, accept, share, acceptShare],
    call: unfriend,
    outcome: () => ({
      ada: { friends: [], requests: [], received: [FRIEND_ACCEPTED, SHARE_ACCEPTED] },
      bob: {
        friends: [],
        requests: [],
        received: [FRIEND_REQUESTED, SHARE_OFFERED, FRIEND_REMOVED],
      },
    }),
  },
  {
    title: 'sends a message',
    history: [ask, accept],
    call: send,
    outcome: ({ ada, bob }) => ({
      ada: { friends: [{ nametag: bob.nametag }], requests: [], received: [FRIEND_ACCEPTED] },
      bob: {
        friends: [{ nametag: ada.nametag }],
        requests: [],
        received: [FRIEND_REQUESTED, 'Good morning'],
      },
    }),
  },
];
