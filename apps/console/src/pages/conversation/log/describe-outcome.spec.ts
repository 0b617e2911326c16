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
    ['a call that needs approval waits for the person', waiting, 'Waiting for you', 'warn'],
    [
      'a result that merely mentions approval does not wait for it',
      resultOf('waiting_for_approval'),
      'Done',
      'good',
    ],
    [
      'a result that is a list containing the status does not wait for approval',
      resultOf(['waiting_for_approval']),
      'Done',
      'good',
    ],
    [
      'a result whose request id is not a string does not wait for approval',
      resultOf({ status: 'waiting_for_approval', permissionRequestId: 7 }),
      ...(['Done', 'good'] as const),
    ],
    [
      'a result that is not JSON does not wait for approval',
      ToolResultRecord.fromPartial({ resultJson: 'waiting_for_approval' }),
      ...(['Done', 'good'] as const),
    ],
  ])('%s', (_, result, text, kind) => {
    expect(describeOutcome(result, (id) => id === 'p1')).toEqual({ text, kind });
  });

  it('the outcome is “Asked you” once the request is no longer pending', () => {
    expect(describeOutcome(waiting, () => false)).toEqual({ text: 'Asked you', kind: 'plain' });
  });
});
