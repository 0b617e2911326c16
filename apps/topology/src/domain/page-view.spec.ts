import { describe, expect, it } from '@jest/globals';
import {
  listed,
  numbered,
  testAgent,
  testFriend,
  testFriends,
  testScope,
  testView,
} from '../test-support/test-facts';
import { firstPage, pageView, type Walk } from './page-view';
import type { TopologyView } from './topology-view';
import { decodeWalk, encodeWalk } from './walk-token';

const self = { userId: 'u1', nametag: 'swiftfox42' };
const atEnd = { scope: '', friends: '', wiring: '' };
const agentsFrom = (first: number, count: number) =>
  numbered(count, (index) => testAgent({ id: `a${first + index}` }));
const viewOf = (agents = agentsFrom(0, 5), friendCount = 3): TopologyView =>
  testView(self, {
    scope: testScope({ agents: listed(agents) }),
    friends: testFriends(
      numbered(friendCount, (index) => testFriend({ nametag: `swiftfox${index}` })),
    ),
  });
const shownIn = ({ agents, friends }: TopologyView) => [
  agents.entries.map(({ id }) => id),
  friends?.entries.map(({ nametag }) => nametag),
];

describe('a walk through the pages', () => {
  it('shows every entry once; a section that has ended stays empty and keeps its count', () => {
    const seen: unknown[] = [];
    let walk: Walk | undefined = firstPage;
    while (walk) {
      const page = pageView(viewOf(), walk, 2, atEnd);
      seen.push(shownIn(page.view));
      expect([page.view.agents.count, page.view.friends?.count]).toEqual([5, 3]);
      walk = page.next && decodeWalk(encodeWalk(page.next));
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

  it('ends at once when everything fits', () => {
    expect(pageView(viewOf(), firstPage, 5, atEnd).next).toBeUndefined();
  });

  it('neither repeats nor skips when something appears or the last one shown disappears', () => {
    const { next } = pageView(viewOf(), firstPage, 2, atEnd);
    const withNew = viewOf([testAgent({ id: 'new' }), ...agentsFrom(0, 5)]);
    expect(shownIn(pageView(withNew, next!, 2, atEnd).view)[0]).toEqual(['a2', 'a3']);
    const without = viewOf(agentsFrom(0, 5).filter(({ id }) => id !== 'a1'));
    expect(shownIn(pageView(without, next!, 2, atEnd).view)[0]).toEqual(['a2', 'a3']);
  });

  it('goes on with an owner’s next part once the present one is through', () => {
    const parts = { ...atEnd, scope: 'more' };
    const first = pageView(viewOf(agentsFrom(0, 3), 0), firstPage, 2, parts);
    expect(first.next).toMatchObject({ parts: { scope: '' }, places: { agents: { offset: 2 } } });
    const second = pageView(viewOf(agentsFrom(0, 3), 0), first.next!, 2, parts);
    expect(second.next).toMatchObject({
      parts: { scope: 'more' },
      places: { agents: { offset: 0 } },
    });
    const third = pageView(viewOf(agentsFrom(3, 1), 0), second.next!, 2, atEnd);
    expect(shownIn(third.view)[0]).toEqual(['a3']);
    expect(third.next).toBeUndefined();
  });
});

describe('a token', () => {
  it.each([
    'nonsense',
    '',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["","","",[null]]').toString('base64url'),
    Buffer.from('["","","",[[-1,"a"],null,null,null,null,null,null,null]]').toString('base64url'),
    'a'.repeat(20_000),
  ])('that we did not make is refused: %.20s', (token) => {
    expect(decodeWalk(token)).toBeUndefined();
  });

  it('is read as it was written', () => {
    expect(decodeWalk(encodeWalk(firstPage))).toEqual(firstPage);
  });
});
