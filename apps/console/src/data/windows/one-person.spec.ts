import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FakeChannel } from '../../testing/fake-channel';
import { watchForOtherPerson } from './one-person';

describe('windows of one browser', () => {
  let restore = (): void => undefined;
  beforeEach(() => void (restore = FakeChannel.install()));
  afterEach(() => restore());

  const openWindow = (userId: string) => {
    const onOther = jest.fn();
    watchForOtherPerson(userId, onOther);
    return onOther;
  };

  it('no window reports another person while all of them belong to the same person', () => {
    const windows = [openWindow('ada'), openWindow('ada')];
    for (const onOther of windows) expect(onOther).not.toHaveBeenCalled();
  });

  it('every window except the new one reports that another person has signed in', () => {
    const [first, second, newest] = [openWindow('ada'), openWindow('ada'), openWindow('bob')];
    expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect(newest).not.toHaveBeenCalled();
  });
});
