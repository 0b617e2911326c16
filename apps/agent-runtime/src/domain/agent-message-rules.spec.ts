import { describe, expect, it } from '@jest/globals';
import {
  decideAgentMessage,
  needsRelation,
  relations,
  type AgentMessageFacts,
  type MessageParty,
  type Relation,
} from './agent-message-rules';
import type { DescriptorKind } from './descriptor';
import { descriptorKinds } from './descriptor-kinds';

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

const everyCase: readonly AgentMessageFacts[] = names.flatMap((sender) =>
  names.flatMap((receiver) =>
    kinds.flatMap((fromKind) =>
      kinds.flatMap((toKind) =>
        [true, false].flatMap((wroteBefore) =>
          [undefined, ...relations].map((relation) => ({
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

/** The rows of the specification, written out once more in its own words. */
function specified({ from, to, wroteBefore, relation }: AgentMessageFacts): 'allowed' | 'denied' {
  const [sender, receiver] = [from.userId as Person, to.userId as Person];
  const isFromGateway = !isPerson(sender) && from.kind === 'subuser';
  const isToGateway = !isPerson(receiver) && to.kind === 'subuser';
  const isOwnerToSubuser = people[receiver] === sender;
  const isSubuserToOwner = people[sender] === receiver;
  const isStranger = sender !== receiver && !isOwnerToSubuser && !isSubuserToOwner;
  const allowed = [
    sender === receiver,
    isOwnerToSubuser && isToGateway,
    isSubuserToOwner && isFromGateway && wroteBefore,
    isStranger && relation === 'shared_subuser' && isPerson(sender) && isToGateway,
    isStranger && relation === 'share_guest' && isFromGateway && isPerson(receiver) && wroteBefore,
  ];
  return allowed.includes(true) ? 'allowed' : 'denied';
}

const decide = (
  from: MessageParty,
  to: MessageParty,
  wroteBefore: boolean,
  relation?: Relation,
): string => decideAgentMessage({ from, to, wroteBefore, relation });

describe('a message from one agent to another', () => {
  it('is decided as specified in every case there is', () => {
    expect(everyCase).toHaveLength(5 * 5 * 7 * 7 * 2 * 7);
    const wrong = everyCase.filter((facts) => decideAgentMessage(facts) !== specified(facts));
    expect(wrong).toEqual([]);
  });

  const ada = party('ada', 'user');
  const gateway = party('adasub', 'subuser');
  const inner = party('adasub', 'permanent');
  const bob = party('bob', 'user');

  it.each([
    ['of the same user', ada, party('ada', 'cron'), false, undefined, 'allowed'],
    ['of the same subuser', inner, gateway, false, undefined, 'allowed'],
    ["the owner's to the gateway", ada, gateway, false, undefined, 'allowed'],
    ["the owner's past the gateway", ada, inner, true, 'own_subuser', 'denied'],
    ['the gateway to the owner unasked', gateway, ada, false, undefined, 'denied'],
    ['the gateway to the owner as a reply', gateway, ada, true, undefined, 'allowed'],
    ['another of the subuser to the owner', inner, ada, true, undefined, 'denied'],
    ["a friend's to the gateway shared with it", bob, gateway, false, 'shared_subuser', 'allowed'],
    ["a friend's past the gateway", bob, inner, true, 'shared_subuser', 'denied'],
    ["a friend's to a gateway not shared with it", bob, gateway, true, 'friend', 'denied'],
    ['the gateway to a guest unasked', gateway, bob, false, 'share_guest', 'denied'],
    ['the gateway to a guest as a reply', gateway, bob, true, 'share_guest', 'allowed'],
    ['the gateway to a guest of the past', gateway, bob, true, undefined, 'denied'],
    ['another of the subuser to a guest', inner, bob, true, 'share_guest', 'denied'],
    ["a friend's to a friend", bob, ada, true, 'friend', 'denied'],
    ['between strangers', bob, ada, true, undefined, 'denied'],
    ['between subusers', gateway, party('adasub2', 'subuser'), true, undefined, 'denied'],
  ] as const)('%s', (_, from, to, wroteBefore, relation, verdict) => {
    expect(decide(from, to, wroteBefore, relation)).toBe(verdict);
  });

  it.each(['same_user', 'own_subuser', 'owner'] as const)(
    'is not let through by the claim of %s alone',
    (relation) => {
      expect(decide(bob, gateway, true, relation)).toBe('denied');
      expect(decide(gateway, bob, true, relation)).toBe('denied');
    },
  );
});

describe('social-graph', () => {
  it('is asked only about users of whom neither is nor owns the other', () => {
    const asked = names.flatMap((one) =>
      names
        .filter((other) => needsRelation(party(one, 'user'), party(other, 'user')))
        .map((other) => `${one} ${other}`),
    );
    const pairs = ['ada bob', 'ada bobsub', 'adasub adasub2', 'adasub bob', 'adasub bobsub'];
    const all = [...pairs, 'adasub2 bob', 'adasub2 bobsub'];
    const reversed = all.map((pair) => pair.split(' ').reverse().join(' '));
    expect([...asked].sort()).toEqual([...all, ...reversed].sort());
  });

  it('cannot change what was decided without it', () => {
    for (const facts of everyCase.filter(({ from, to }) => !needsRelation(from, to))) {
      const unasked = decideAgentMessage({ ...facts, relation: undefined });
      expect(decideAgentMessage(facts)).toBe(unasked);
    }
  });
});
