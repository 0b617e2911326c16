import { describe, expect, it } from '@jest/globals';
import { ToolResultRecord } from '@daycare/contracts/agent-runtime';
import { describeOutcome } from './describe-outcome';

const resultOf = (result: unknown, isError = false): ToolResultRecord =>
  ToolResultRecord.fromPartial({ resultJson: JSON.stringify(result), isError });
const waiting = resultOf({ status: 'waiting_for_approval', permissionRequestId: 'p1' });

describe('the outcome of a tool call', () => {
  it.each([
    ['one without a result', undefined, 'Running', 'plain'],
    ['one that has run', resultOf({ status: 'sent' }), 'Done', 'good'],
    ['one that has failed', resultOf('no', true), 'Failed', 'bad'],
    ['one that waits for approval', waiting, 'Waiting for you', 'warn'],
    ['a text that mentions it', resultOf('waiting_for_approval'), 'Done', 'good'],
    ['a list that contains it', resultOf(['waiting_for_approval']), 'Done', 'good'],
    [
      'a request without an id',
      resultOf({ status: 'waiting_for_approval', permissionRequestId: 7 }),
      ...(['Done', 'good'] as const),
    ],
    [
      'a result that is not JSON',
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
