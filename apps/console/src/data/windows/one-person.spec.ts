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

  it('those of one person stay', () => {
    const windows = [openWindow('ada'), openWindow('ada')];
    for (const onOther of windows) expect(onOther).not.toHaveBeenCalled();
  });

  it('those of another person leave when someone else has signed in, and the new one stays', () => {
    const [first, second, hers] = [openWindow('ada'), openWindow('ada'), openWindow('bob')];
    expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect(hers).not.toHaveBeenCalled();
  });
});
