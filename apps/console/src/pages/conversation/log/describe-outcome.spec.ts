import { describe, expect, it } from '@jest/globals';
import { ToolResultRecord } from '@daycare/contracts/agent-runtime';
import { describeOutcome } from './describe-outcome';

const resultOf = (result: unknown, isError = false): ToolResultRecord =>
  ToolResultRecord.fromPartial({ resultJson: JSON.stringify(result), isError });
const waiting = resultOf({ status: 'waiting_for_approval', permissionRequestId: 'p1' });

describe('the outcome of a tool call', () => {
  it.each([
    ['a call without a result is running', undefined, 'Running', 'plain'],
    ['a call that has run is done', resultOf({ status: 'sent' }), 'Done', 'good'],
    ['a call that returned an error has failed', resultOf('no', true), 'Failed', 'bad'],
    ['a call that needs approval is waiting for the person', waiting, 'Waiting for you', 'warn'],
    [
      'a call whose result merely mentions approval is done',
      resultOf('waiting_for_approval'),
      'Done',
      'good',
    ],
    [
      'a call whose result is a list containing the waiting status is done',
      resultOf(['waiting_for_approval']),
      'Done',
      'good',
    ],
    [
      'a call whose result has a permission request id that is not a string is done',
      resultOf({ status: 'waiting_for_approval', permissionRequestId: 7 }),
      ...(['Done', 'good'] as const),
    ],
    [
      'a call whose result is not JSON is done',
      ToolResultRecord.fromPartial({ resultJson: 'waiting_for_approval' }),
      ...(['Done', 'good'] as const),
    ],
  ])('%s', (_, result, text, kind) => {
    expect(describeOutcome(result, (id) => id === 'p1')).toEqual({ text, kind });
  });

  it('a call whose permission request is no longer pending is shown as “Asked you”', () => {
    expect(describeOutcome(waiting, () => false)).toEqual({ text: 'Asked you', kind: 'plain' });
  });
});
