import { describe, expect, it } from '@jest/globals';
import { networkGranted } from '../../test-support/turns/test-work';
import { trustLevels } from '@daycare/api';
import type { AcceptedItem } from './inbox-item';
import { itemSources } from '../../agents';
import { isOwnWords, provenanceOf, startedByOf, type Provenance } from './item-source';

const acceptance = { userId: 'ada', messageId: 'm', acceptedAt: new Date(0) };
const mail = { kind: 'system_message', text: '', silent: false, hops: 0 } as const;

/** A system message to Ada, who may be a subuser of Olga. */
const from = (origin: string, senderUserId?: string, more: object = {}): AcceptedItem => {
  const sender = senderUserId ? { sender: { agentId: 'a', userId: senderUserId } } : {};
  return { ...acceptance, ...mail, origin, ...sender, ...more };
};

const cases: readonly (readonly [string, AcceptedItem, Provenance])[] = [
  [
    'a person’s message',
    { ...acceptance, kind: 'message', text: '', files: [], replyTarget: '' },
    { source: 'person', trust: 'person', lane: 'person' },
  ],
  [
    'a person’s decision',
    {
      ...acceptance,
      ...networkGranted,
    },
    { source: 'person', trust: 'person', lane: 'person' },
  ],
  [
    'a reset',
    { ...acceptance, kind: 'reset', message: '' },
    { source: 'person', trust: 'person', lane: 'person' },
  ],
  [
    'a reset that the agent itself requested',
    { ...acceptance, kind: 'reset', message: '', byAgent: true },
    { source: 'own_agent', trust: 'own', lane: 'other' },
  ],
  [
    'a stop',
    { ...acceptance, kind: 'stop' },
    { source: 'person', trust: 'person', lane: 'person' },
  ],
  [
    'a message from another of the user’s agents',
    from('agent', 'ada'),
    { source: 'own_agent', trust: 'own', lane: 'other' },
  ],
  [
    'a channel message from another of the user’s agents',
    from('channel:team', 'ada'),
    { source: 'own_agent', trust: 'own', lane: 'other' },
  ],
  [
    'a message from the owner’s agent',
    from('agent', 'olga'),
    { source: 'owner_agent', trust: 'own', lane: 'other' },
  ],
  ['a cron’s prompt', from('cron:1'), { source: 'schedule', trust: 'own', lane: 'other' }],
  ['a heartbeat’s prompt', from('heartbeat'), { source: 'schedule', trust: 'own', lane: 'other' }],
  [
    'a message from a friend',
    from('friend:otter7'),
    { source: 'friend', trust: 'guest', lane: 'other' },
  ],
  [
    'a message from a friend’s agent',
    from('friend:otter7', 'bob'),
    { source: 'friend', trust: 'guest', lane: 'other' },
  ],
  [
    'a message from another user’s agent',
    from('agent', 'bob'),
    { source: 'guest', trust: 'guest', lane: 'other' },
  ],
  [
    'a friend request',
    from('friend:otter7', undefined, { fromStranger: true }),
    { source: 'stranger', trust: 'outside', lane: 'other' },
  ],
  [
    'a signal from another of the user’s agents',
    from('signal:1', 'ada'),
    { source: 'own_agent', trust: 'own', lane: 'other' },
  ],
  [
    'a signal that the user’s agent sent in a turn started by a friend',
    from('signal:1', 'ada', { trust: 'guest' }),
    { source: 'own_agent', trust: 'guest', lane: 'other' },
  ],
  [
    'a signal from the person',
    from('signal:1', undefined, { senderUserId: 'ada' }),
    { source: 'person', trust: 'person', lane: 'other' },
  ],
  [
    'a signal without a known sender',
    from('signal:1'),
    { source: 'unknown', trust: 'outside', lane: 'other' },
  ],
  [
    'a message from a webhook',
    from('webhook:1'),
    { source: 'webhook', trust: 'outside', lane: 'other' },
  ],
  ['a notice from the engine', from('system'), { source: 'engine', trust: 'own', lane: 'other' }],
  [
    'a notice from the engine about something caused by a stranger',
    from('system', undefined, { trust: 'outside' }),
    { source: 'engine', trust: 'outside', lane: 'other' },
  ],
  [
    'a notice about the owner’s agent',
    from('system', undefined, { senderUserId: 'olga' }),
    { source: 'engine', trust: 'own', lane: 'other' },
  ],
  [
    'a notice about another user’s agent',
    from('system', undefined, { senderUserId: 'bob' }),
    { source: 'guest', trust: 'guest', lane: 'other' },
  ],
  [
    'a message of unknown origin',
    from('moon'),
    { source: 'unknown', trust: 'outside', lane: 'other' },
  ],
];

describe('provenanceOf', () => {
  it.each(cases)('classifies %s', (_, item, expected) => {
    expect(provenanceOf(item, 'olga')).toEqual(expected);
  });

  it('these tests classify items of every source and every level of trust', () => {
    const seen = cases.map(([, , provenance]) => provenance);
    expect(new Set(seen.map(({ source }) => source))).toEqual(new Set(itemSources));
    expect(new Set(seen.map(({ trust }) => trust))).toEqual(new Set(trustLevels));
  });

  it('trusts a sender as the owner only if the recipient is that sender’s subuser', () => {
    expect(provenanceOf(from('agent', 'olga'), undefined)).toMatchObject({ trust: 'guest' });
  });
});

describe('startedByOf', () => {
  it('does not treat a notice from the engine as a person’s message, even if the notice has a person’s trust', () => {
    const notice = from('system', undefined, { senderUserId: 'ada', trust: 'person' });
    expect(startedByOf(notice, undefined)).toMatchObject({ source: 'engine', byPerson: false });
  });
});

describe('isOwnWords', () => {
  it('accepts only text with the trust of the person or of the person’s own agents and schedules', () => {
    const own = trustLevels.filter((trust) => isOwnWords({ trust }));
    expect(own).toEqual(['person', 'own']);
  });
});
