import { describe, expect, it } from '@jest/globals';
import { DaycareError, type ErrorReason } from '@daycare/client/browser';
import '../testing/fake-browser';
import { createAction } from './action';

/** An action whose attempts end with the given outcomes; collects the request id of each attempt. */
function actionOf(...outcomes: readonly (ErrorReason | 'done')[]) {
  const requestIds: string[] = [];
  const action = createAction((requestId, _args: { readonly resume: boolean }) => {
    const outcome = outcomes[requestIds.length] ?? 'done';
    requestIds.push(requestId);
    if (outcome === 'done') return Promise.resolve(undefined);
    return Promise.reject(new DaycareError({ code: outcome, message: outcome, details: {} }));
  });
  return { action, requestIds };
}

describe('an action', () => {
  it('reuses its request id for the same arguments while the outcome is unknown', async () => {
    const { action, requestIds } = actionOf('UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED');
    for (let run = 0; run < 5; run += 1) await action.run({ resume: true });
    expect(new Set(requestIds.slice(0, 4)).size).toBe(1);
    expect(requestIds[4]).not.toBe(requestIds[0]);
  });

  it('uses a new request id for different arguments, even while the outcome is unknown', async () => {
    const { action, requestIds } = actionOf('UNAVAILABLE');
    await action.run({ resume: true });
    await action.run({ resume: false });
    expect(requestIds[1]).not.toBe(requestIds[0]);
  });

  it('uses a new request id after a refusal, and reports the refusal', async () => {
    const { action, requestIds } = actionOf('FAILED_PRECONDITION');
    expect(await action.run({ resume: true })).toBe(false);
    expect(action.problem.value).toBe('FAILED_PRECONDITION');
    expect(await action.run({ resume: true })).toBe(true);
    expect([action.problem.value, requestIds[1] === requestIds[0]]).toEqual(['', false]);
  });

  it('reports the request field that caused the problem', async () => {
    const fields = [{ field: 'schedule', description: 'is not a schedule' }];
    const error = { code: 'INVALID_ARGUMENT', message: 'No', details: { fields } } as const;
    const action = createAction(() => Promise.reject(new DaycareError(error)));
    await action.run();
    expect([action.problem.value, action.problemField.value]).toEqual(['No', 'schedule']);
  });
});
