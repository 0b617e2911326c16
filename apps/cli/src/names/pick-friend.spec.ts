import { describe, expect, it } from '@jest/globals';
import { findFriend, type People } from './pick-friend';

const bob = { nametag: 'swiftfox42', name: 'Bob', nickname: 'Bobby' };
const anna = { nametag: 'calmotter7', name: 'Anna', nickname: undefined };
const people = (more: Partial<People> = {}): People => ({
  friends: [bob, anna],
  requests: [],
  ...more,
});
const nametagOf = (text: string, all = people(), isExact = false): string | undefined =>
  findFriend(text, all, isExact)?.nametag;

describe('findFriend', () => {
  it.each([
    ['a nametag', 'swiftfox42'],
    ['the beginning of a nametag', 'swif'],
    ['a nickname', 'Bobby'],
    ['a nickname in different letter case', 'bobby'],
    ['the beginning of a nickname', 'Bobb'],
    ['a display name', 'Bob'],
    ['a display name in different letter case', 'bob'],
  ])('finds a friend by %s', (_, text) => {
    expect(nametagOf(text)).toBe('swiftfox42');
  });

  it('finds no one by the beginning of a display name, or by the beginning of a nickname if an exact match is required', () => {
    expect(nametagOf('Ann')).toBeUndefined();
    expect(nametagOf('Bobb', people(), true)).toBeUndefined();
  });

  it.each(['Bobby', 'bobby', 'swiftfox42'])(
    'finds the friend with the nickname or nametag "%s", even if a stranger or another friend chooses it as a name',
    (name) => {
      const mallory = { nametag: 'slyweasel1', name, nickname: undefined };
      const all = { friends: [mallory, ...people().friends], requests: [mallory] };
      expect(nametagOf(name, all)).toBe('swiftfox42');
    },
  );

  it.each(['Bobb', 'swif'])(
    'refuses "%s" when it is the whole name of one friend and the beginning of another’s nickname or nametag',
    (name) => {
      const mallory = { nametag: 'slyweasel1', name, nickname: undefined };
      const all = people({ friends: [mallory, bob] });
      expect(() => nametagOf(name, all)).toThrow(/matches 2 friends: .*slyweasel1/);
      expect(nametagOf(name, people({ requests: [mallory] }))).toBe('swiftfox42');
    },
  );

  it('refuses a friend’s name if a stranger’s nametag begins with it', () => {
    const amber = { nametag: 'calmotter7', name: 'Amber', nickname: undefined };
    const all = { friends: [amber], requests: [{ nametag: 'amberfox12', name: 'Eve' }] };
    expect(() => nametagOf('amber', all)).toThrow(/matches 2 friends/);
  });

  it('lists the friends whose display names differ only in letter case instead of choosing one', () => {
    const mallory = { nametag: 'slyweasel1', name: 'anna', nickname: undefined };
    const all = people({ friends: [bob, anna, mallory] });
    expect(() => nametagOf('anna', all)).toThrow(
      '"anna" matches 2 friends: calmotter7 Anna, slyweasel1 anna.',
    );
  });

  it('finds by name a subuser that a friend shares, but refuses a name that a friend has too', () => {
    const sharesIn = [
      { subuserName: 'Cook', subuserNametag: 'noblezebra4' },
      { subuserName: 'Anna', subuserNametag: 'noblezebra5' },
    ];
    const all = people({ friends: [{ ...bob, sharesIn }, anna] });
    expect(nametagOf('cook', all)).toBe('noblezebra4');
    expect(() => nametagOf('Anna', all)).toThrow('calmotter7 Anna, noblezebra5 Anna.');
  });

  it('prefers a friend to a stranger with the same name', () => {
    const requests = [{ nametag: 'slyweasel1', name: 'Anna' }];
    expect(nametagOf('Anna', people({ requests }))).toBe('calmotter7');
  });

  it('refuses the display name of a user who has only sent a friend request, and shows the nametag', () => {
    const requests = [{ nametag: 'slyweasel1', name: 'Cyd' }];
    expect(() => nametagOf('cyd', people({ requests }))).toThrow(
      '"cyd" is not one of your friends; it is only the name given in a friend request from slyweasel1.',
    );
    expect(nametagOf('slyw', people({ requests }))).toBe('slyweasel1');
  });

  it('marks a match as certain only for a whole nametag or nickname', () => {
    const certain = ['swiftfox42', 'Bobby', 'Bobb', 'Anna'].map(
      (text) => findFriend(text, people())?.isCertain,
    );
    expect(certain).toEqual([true, true, false, false]);
  });
});
