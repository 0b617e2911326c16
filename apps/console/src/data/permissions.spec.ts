import { describe, expect, it, jest } from '@jest/globals';
import { PermissionRequest, PermissionState } from '@daycare/contracts/agent-runtime';
import '../testing/fake-browser';
import { daycare } from './client';
import { followPermissions, forgetPermission, permissionRequests } from './permissions';

const request = (id: string) =>
  ({
    $case: 'permissionRequest',
    value: PermissionRequest.fromPartial({ id, state: PermissionState.PENDING }),
  }) as const;

describe('permission requests', () => {
  it('a permission request decided in this window does not reappear with the next event', async () => {
    const shown: string[][] = [];
    const recordShown = (): void => void shown.push([...(permissionRequests.value?.keys() ?? [])]);
    jest.spyOn(daycare.watch, 'permissions').mockImplementation(async function* () {
      yield* [request('p1'), { $case: 'caughtUp', value: {} }] as never[];
      recordShown();
      forgetPermission('p1');
      recordShown();
      yield request('p2');
      recordShown();
      await Promise.resolve();
    });
    const nothing = (): void => undefined;
    const end = new AbortController().signal;
    await followPermissions({ signal: end, onReceived: nothing, onInterrupted: nothing });
    expect(shown).toEqual([['p1'], [], ['p2']]);
  });
});
