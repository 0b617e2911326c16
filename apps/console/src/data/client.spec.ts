import { afterEach, describe, expect, it } from '@jest/globals';
import { DaycareError, type ErrorReason } from '@daycare/client/browser';
import { assignLocation, localStorageItems } from '../testing/fake-browser';
import { leaveIfSignedOut } from './client';
import { asPageUser } from './windows/page-user';

describe('a failed call', () => {
  afterEach(() => {
    assignLocation.mockClear();
    localStorageItems.clear();
  });
  const failWith = (code: ErrorReason, metadata: Record<string, string> = {}): boolean => {
    localStorageItems.set('daycare.ada.texts', '[]');
    return leaveIfSignedOut(new DaycareError({ code, message: 'No', details: { metadata } }));
  };

  it('opens the sign-in page and deletes stored data when the session has ended', () => {
    expect(failWith('UNAUTHENTICATED')).toBe(true);
    expect([assignLocation.mock.calls, localStorageItems.size]).toEqual([[['/sign-in']], 0]);
  });

  it('reloads the console when the session belongs to another person', () => {
    expect(failWith('UNAUTHENTICATED', { session: 'another_user' })).toBe(true);
    expect(assignLocation.mock.calls).toEqual([['/']]);
  });

  it('neither opens another page nor deletes stored data when Daycare is unavailable', () => {
    expect([failWith('UNAVAILABLE'), assignLocation.mock.calls, localStorageItems.size]).toEqual([
      ...[false, [], 1],
    ]);
  });
});

describe('the URL of a link or a form', () => {
  it('names the person for whom the page was served', () => {
    expect(asPageUser('/files/f1')).toBe('/files/f1?expected-user=ada');
  });
});
