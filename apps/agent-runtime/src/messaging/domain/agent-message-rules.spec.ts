import { describe, expect, it } from '@jest/globals';
import {
  relations,
  relationsAllowing,
  type AgentMessageFacts,
  type MessageParty,
  type Relation,
} from './agent-message-rules';
import type { DescriptorKind } from '../../agents/domain/descriptor/descriptor';
import { descriptorKinds } from '../../agents/domain/descriptor/descriptor-kinds';

const kinds = Object.keys(descriptorKinds) as DescriptorKind[];

/** The owner of each subuser: Ada has two subusers, and Bob, another person, has one. */
const ownerOf = {
  ada: undefined,
  adasub: 'ada',
  adasub2: 'ada',
  bob: undefined,
  bobsub: 'bob',
} as const;
type User = keyof typeof ownerOf;
const users = Object.keys(ownerOf) as User[];
const isPerson = (name: User): boolean => ownerOf[name] === undefined;

const party = (userId: User, kind: DescriptorKind): MessageParty => ({
  userId,
  ownerUserId: ownerOf[userId],
  kind,
});

interface Case extends AgentMessageFacts {
  readonly relation: Relation;
}

const everyCase: readonly Case[] = users.flatMap((sender) =>
  users.flatMap((receiver) =>
    kinds.flatMap((fromKind) =>
      kinds.flatMap((toKind) =>
        [true, false].flatMap((isReply) =>
          relations.map((relation) => ({
            from: party(sender, fromKind),
            to: party(receiver, toKind),
            isReply,
            relation,
          })),
        ),
      ),
    ),
  ),
);

/** The specification, written independently of the rules under test. */
function isAllowedAsSpecified({ from, to, isReply, relation }: Case): boolean {
  const [sender, receiver] = [from.userId as User, to.userId as User];
  const isFromGateway = !isPerson(sender) && from.kind === 'subuser';
  const isToGateway = !isPerson(receiver) && to.kind === 'subuser';
  const isGatewayReply = isFromGateway && isReply;
  return {
    same_user: sender === receiver,
    own_subuser: ownerOf[receiver] === sender && isToGateway,
    owner: ownerOf[sender] === receiver && isGatewayReply,
    friend: false,
    shared_subuser: isPerson(sender) && isToGateway,
    share_guest: isPerson(receiver) && isGatewayReply,
  }[relation];
}

const isAllowed = ({ relation, ...facts }: Case): boolean =>
  relationsAllowing(facts).includes(relation);

describe('relationsAllowing', () => {
  it('decides every possible case as specified', () => {
    expect(everyCase).toHaveLength(5 * 5 * 7 * 7 * 2 * 6);
    const wrong = everyCase.filter((each) => isAllowed(each) !== isAllowedAsSpecified(each));
    expect(wrong).toEqual([]);
  });

  const ada = party('ada', 'user');
  const gateway = party('adasub', 'subuser');
  const inner = party('adasub', 'permanent');
  const bob = party('bob', 'user');

  it.each([
    ['allows', 'between agents of one user', ada, party('ada', 'cron'), false, 'same_user'],
    ['allows', 'between agents of one subuser', inner, gateway, false, 'same_user'],
    ['allows', "from the owner's agent to the gateway agent", ada, gateway, false, 'own_subuser'],
    [
      'denies',
      "from the owner's agent to an agent of the subuser that is not its gateway",
      ada,
      inner,
      true,
      'own_subuser',
    ],
    [
      'denies',
      'from the gateway agent to an owner who has not written',
      gateway,
      ada,
      false,
      'owner',
    ],
    ['allows', 'from the gateway agent to the owner as a reply', gateway, ada, true, 'owner'],
    [
      'denies',
      'from an agent of a subuser that is not its gateway to the owner',
      inner,
      ada,
      true,
      'owner',
    ],
    [
      'allows',
      "from a friend's agent to a shared gateway agent",
      bob,
      gateway,
      false,
      'shared_subuser',
    ],
    [
      'denies',
      "from a friend's agent to an agent of a subuser that is not its gateway",
      bob,
      inner,
      true,
      'shared_subuser',
    ],
    ['denies', "from a friend's agent to an unshared gateway agent", bob, gateway, true, 'friend'],
    [
      'denies',
      'from the gateway agent to a guest who has not written',
      gateway,
      bob,
      false,
      'share_guest',
    ],
    ['allows', 'from the gateway agent to a guest as a reply', gateway, bob, true, 'share_guest'],
    [
      'denies',
      'from an agent of a subuser that is not its gateway to a guest',
      inner,
      bob,
      true,
      'share_guest',
    ],
    ['denies', 'between friends', bob, ada, true, 'friend'],
    ['denies', 'between subusers', gateway, party('adasub2', 'subuser'), true, 'share_guest'],
  ] as const)('%s a message %s', (verdict, _, from, to, isReply, relation) => {
    expect(isAllowed({ from, to, isReply, relation })).toBe(verdict === 'allows');
  });

  it.each(['same_user', 'own_subuser', 'owner'] as const)(
    'the relation %s does not allow messages between users who are not in that relation',
    (relation) => {
      expect(isAllowed({ from: bob, to: gateway, isReply: true, relation })).toBe(false);
      expect(isAllowed({ from: gateway, to: bob, isReply: true, relation })).toBe(false);
    },
  );
});
