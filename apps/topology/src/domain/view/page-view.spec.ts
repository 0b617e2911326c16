import { describe, expect, it } from '@jest/globals';
import {
  listed,
  makeMany,
  testAgent,
  testFriend,
  testFriends,
  testScope,
  testView,
} from '../../test-support/test-facts';
import { firstPage, pageView, type TopologyCursor } from './page-view';
import type { TopologyView } from './topology-view';
import { decodeCursor, encodeCursor } from './topology-cursor';

const self = { userId: 'u1', nametag: 'swiftfox42' };
const atEnd = { scope: '', friends: '', wiring: '' };
const agentsFrom = (first: number, count: number) =>
  makeMany(count, (index) => testAgent({ id: `a${first + index}` }));
const viewOf = (agents = agentsFrom(0, 5), friendCount = 3): TopologyView =>
  testView(self, {
    scope: testScope({ agents: listed(agents) }),
    friends: testFriends(
      makeMany(friendCount, (index) => testFriend({ nametag: `swiftfox${index}` })),
    ),
  });
const shownIn = ({ agents, friends }: TopologyView) => [
  agents.entries.map(({ id }) => id),
  friends?.entries.map(({ nametag }) => nametag),
];

describe('pageView', () => {
  it('paging through a view shows every entry exactly once, and a section with no entries left is empty but keeps its count', () => {
    const seen: unknown[] = [];
    let cursor: TopologyCursor | undefined = firstPage;
    while (cursor) {
      const page = pageView(viewOf(), cursor, 2, atEnd);
      seen.push(shownIn(page.view));
      expect([page.view.agents.count, page.view.friends?.count]).toEqual([5, 3]);
      cursor = page.next && decodeCursor(encodeCursor(page.next));
    }
    expect(seen).toEqual([
      [
        ['a0', 'a1'],
        ['swiftfox0', 'swiftfox1'],
      ],
      [['a2', 'a3'], ['swiftfox2']],
      [['a4'], []],
    ]);
  });

  it('paging through a view ends after the first page when everything fits', () => {
    expect(pageView(viewOf(), firstPage, 5, atEnd).next).toBeUndefined();
  });

  it('paging through a view neither repeats nor skips an entry when an entry is added or the last one shown is removed', () => {
    const { next } = pageView(viewOf(), firstPage, 2, atEnd);
    const withNew = viewOf([testAgent({ id: 'new' }), ...agentsFrom(0, 5)]);
    expect(shownIn(pageView(withNew, next!, 2, atEnd).view)[0]).toEqual(['a2', 'a3']);
    const without = viewOf(agentsFrom(0, 5).filter(({ id }) => id !== 'a1'));
    expect(shownIn(pageView(without, next!, 2, atEnd).view)[0]).toEqual(['a2', 'a3']);
  });

  it('paging through a view moves on to a source’s next page once the current one has been shown', () => {
    const nextTokens = { ...atEnd, scope: 'more' };
    const first = pageView(viewOf(agentsFrom(0, 3), 0), firstPage, 2, nextTokens);
    expect(first.next).toMatchObject({
      sourceTokens: { scope: '' },
      positions: { agents: { offset: 2 } },
    });
    const second = pageView(viewOf(agentsFrom(0, 3), 0), first.next!, 2, nextTokens);
    expect(second.next).toMatchObject({
      sourceTokens: { scope: 'more' },
      positions: { agents: { offset: 0 } },
    });
    const third = pageView(viewOf(agentsFrom(3, 1), 0), second.next!, 2, atEnd);
    expect(shownIn(third.view)[0]).toEqual(['a3']);
    expect(third.next).toBeUndefined();
  });
});

describe('decodeCursor', () => {
  const malformedTokens = [
    'nonsense',
    '',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["","","",[null]]').toString('base64url'),
    Buffer.from('["","","",[[-1,"a"],null,null,null,null,null,null,null]]').toString('base64url'),
    'a'.repeat(20_000),
  ];
  it.each(malformedTokens.map((token) => [token.slice(0, 20), token] as const))(
    'rejects the malformed page token %j',
    (_, token) => {
      expect(decodeCursor(token)).toBeUndefined();
    },
  );

  it('a topology page token decodes to the cursor it was made from', () => {
    expect(decodeCursor(encodeCursor(firstPage))).toEqual(firstPage);
  });
});
