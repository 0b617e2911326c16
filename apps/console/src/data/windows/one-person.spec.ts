import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FakeChannel } from '../../testing/fake-channel';
import { keepToOnePerson } from './one-person';

describe('windows of one browser', () => {
  let restore = (): void => undefined;
  beforeEach(() => void (restore = FakeChannel.install()));
  afterEach(() => restore());

  const openWindow = (userId: string) => {
    const onOther = jest.fn();
    keepToOnePerson(userId, onOther);
    return onOther;
  };

  it('windows stay open if they belong to the same person', () => {
    const windows = [openWindow('ada'), openWindow('ada')];
    for (const onOther of windows) expect(onOther).not.toHaveBeenCalled();
  });

  it('all windows except the new one report when another person signs in', () => {
    const [first, second, hers] = [openWindow('ada'), openWindow('ada'), openWindow('bob')];
    expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect(hers).not.toHaveBeenCalled();
  });
});
