import { expect, it } from '@jest/globals';
import { mergeCooldowns } from './merge-cooldowns';

const cooldown = (nametag: string, untilMs: number) => ({ nametag, untilMs });

it('of two cooldowns for the same person, the one that ends later applies', () => {
  const merged = mergeCooldowns([cooldown('ada', 5), cooldown('bob', 9)], [cooldown('ada', 7)]);
  expect(merged).toEqual([cooldown('ada', 7), cooldown('bob', 9)]);
});

it('a new cooldown stays in a full list, even if it ends before all others', () => {
  const stored = Array.from({ length: 20 }, (_, index) => cooldown(`friend${index}`, 1_000));
  expect(mergeCooldowns([cooldown('ada', 5)], stored).slice(-20)).toContainEqual(
    cooldown('ada', 5),
  );
});
