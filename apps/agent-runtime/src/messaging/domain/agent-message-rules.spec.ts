import { describe, expect, it } from '@jest/globals';
import {
  relations,
  relationsAllowing,
  type AgentMessageFacts,
  type MessageParty,
  type Relation,
} from './agent-message-rules';
import type { DescriptorKind } from '../../agents/domain/descriptor';
import { descriptorKinds } from '../../agents/domain/descriptor-kinds';

const kinds = Object.keys(descriptorKinds) as DescriptorKind[];

/** Ada owns two subusers; Bob is another person with a subuser of his own. */
const people = {
  ada: undefined,
  adasub: 'ada',
  adasub2: 'ada',
  bob: undefined,
  bobsub: 'bob',
} as const;
type Person = keyof typeof people;
const names = Object.keys(people) as Person[];
const isPerson = (name: Person): boolean => people[name] === undefined;

const party = (userId: Person, kind: DescriptorKind): MessageParty => ({
  userId,
  ownerUserId: people[userId],
  kind,
});

interface Case extends AgentMessageFacts {
  readonly relation: Relation;
}

const everyCase: readonly Case[] = names.flatMap((sender) =>
  names.flatMap((receiver) =>
    kinds.flatMap((fromKind) =>
      kinds.flatMap((toKind) =>
        [true, false].flatMap((wroteBefore) =>
          relations.map((relation) => ({
            from: party(sender, fromKind),
            to: party(receiver, toKind),
            wroteBefore,
            relation,
          })),
        ),
      ),
    ),
  ),
);

/** The specification, written independently of the rules under test. */
function specified({ from, to, wroteBefore, relation }: Case): boolean {
  const [sender, receiver] = [from.userId as Person, to.userId as Person];
  const isFromGateway = !isPerson(sender) && from.kind === 'subuser';
  const isToGateway = !isPerson(receiver) && to.kind === 'subuser';
  const isReply = isFromGateway && wroteBefore;
  return {
    same_user: sender === receiver,
    own_subuser: people[receiver] === sender && isToGateway,
    owner: people[sender] === receiver && isReply,
    friend: false,
    shared_subuser: isPerson(sender) && isToGateway,
    share_guest: isPerson(receiver) && isReply,
  }[relation];
}

const isAllowed = ({ relation, ...facts }: Case): boolean =>
  relationsAllowing(facts).includes(relation);

describe('relationsAllowing', () => {
  it('decides every possible case as specified', () => {
    expect(everyCase).toHaveLength(5 * 5 * 7 * 7 * 2 * 6);
    expect(everyCase.filter((each) => isAllowed(each) !== specified(each))).toEqual([]);
  });

  const ada = party('ada', 'user');
  const gateway = party('adasub', 'subuser');
  const inner = party('adasub', 'permanent');
  const bob = party('bob', 'user');

  it.each([
    [true, 'between agents of one user', ada, party('ada', 'cron'), false, 'same_user'],
    [true, 'between agents of one subuser', inner, gateway, false, 'same_user'],
    [true, "from the owner's agent to the gateway", ada, gateway, false, 'own_subuser'],
    [false, "from the owner's agent past the gateway", ada, inner, true, 'own_subuser'],
    [false, 'from the gateway to the owner unasked', gateway, ada, false, 'owner'],
    [true, 'from the gateway to the owner as a reply', gateway, ada, true, 'owner'],
    [false, "from a subuser's other agent to the owner", inner, ada, true, 'owner'],
    [true, "from a friend's agent to a shared gateway", bob, gateway, false, 'shared_subuser'],
    [false, "from a friend's agent past the gateway", bob, inner, true, 'shared_subuser'],
    [false, "from a friend's agent to an unshared gateway", bob, gateway, true, 'friend'],
    [false, 'from the gateway to a guest unasked', gateway, bob, false, 'share_guest'],
    [true, 'from the gateway to a guest as a reply', gateway, bob, true, 'share_guest'],
    [false, "from a subuser's other agent to a guest", inner, bob, true, 'share_guest'],
    [false, 'between friends', bob, ada, true, 'friend'],
    [false, 'between subusers', gateway, party('adasub2', 'subuser'), true, 'share_guest'],
  ] as const)('%s: a message %s', (allowed, _, from, to, wroteBefore, relation) => {
    expect(isAllowed({ from, to, wroteBefore, relation })).toBe(allowed);
  });

  it.each(['same_user', 'own_subuser', 'owner'] as const)(
    'a claimed relation %s alone does not allow a message',
    (relation) => {
      expect(isAllowed({ from: bob, to: gateway, wroteBefore: true, relation })).toBe(false);
      expect(isAllowed({ from: gateway, to: bob, wroteBefore: true, relation })).toBe(false);
    },
  );
});
