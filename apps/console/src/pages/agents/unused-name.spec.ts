import { describe, expect, it } from '@jest/globals';
import { toChannelId, unusedName } from './unused-name';

describe('unusedName', () => {
  const labels = (...names: readonly string[]) =>
    new Set(names.map((name) => `console:me#${name}`));

  it.each([
    ['main if there is no conversation yet', labels(), 'main'],
    ['main if only a numbered name is in use', labels('chat-2'), 'main'],
    ['the first numbered name if main is in use', labels('main'), 'chat-2'],
    ['the first gap between the names in use', labels('main', 'chat-2', 'chat-4'), 'chat-3'],
    [
      'the fallback if all names are in use',
      labels('main', ...Array.from({ length: 1_000 }, (_, index) => `chat-${index}`)),
      'other',
    ],
  ])('picks %s', (_, used, name) => {
    expect(unusedName(used, 'other')).toBe(name);
  });
});

describe('toChannelId', () => {
  it.each([
    ['  my  plans ', 'my-plans'],
    ['   ', 'main'],
  ])('converts the name %j to the channel id %j', (name, id) => {
    expect(toChannelId(name)).toBe(id);
  });
});
