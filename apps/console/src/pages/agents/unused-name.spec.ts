import { describe, expect, it } from '@jest/globals';
import { toChannelId, unusedName } from './unused-name';

describe('unusedName', () => {
  const labels = (...names: readonly string[]) =>
    new Set(names.map((name) => `console:me#${name}`));

  it.each([
    [labels(), 'main'],
    [labels('chat-2'), 'main'],
    [labels('main'), 'chat-2'],
    [labels('main', 'chat-2', 'chat-4'), 'chat-3'],
    [labels('main', ...Array.from({ length: 1_000 }, (_, index) => `chat-${index}`)), 'other'],
  ])(
    'picks the first name that no conversation has, or the fallback if all are in use',
    (used, name) => {
      expect(unusedName(used, 'other')).toBe(name);
    },
  );
});

describe('toChannelId', () => {
  it.each([
    ['  my  plans ', 'my-plans'],
    ['   ', 'main'],
  ])('converts the name %j to the channel id %j', (name, id) => {
    expect(toChannelId(name)).toBe(id);
  });
});
