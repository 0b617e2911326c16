import { expect, it } from '@jest/globals';
import type { AssistantMessageEvent, FileReference, ToolResultEvent } from '../../../agents';
import { testWork } from '../../../test-support/turns/test-work';
import { finishWork, recordToolResults } from '../turn-steps';

const file = (id: string): FileReference => ({ id, name: id, mimeType: 'text/plain', size: 1 });
const result = (...files: readonly FileReference[]): ToolResultEvent => ({
  kind: 'tool_result',
  toolCallId: 'c',
  toolName: 'attach_file',
  resultJson: '{}',
  isError: false,
  truncated: false,
  ...(files.length > 0 ? { files } : {}),
});
const answer = { kind: 'assistant_message', text: 'Here.' } as AssistantMessageEvent;

it('an answer carries all files that tools attached during its turn, in order', () => {
  const first = recordToolResults(testWork(), [result(file('a')), result()]);
  const second = recordToolResults(first.current!, [result(file('b'))]);
  expect(finishWork(second.current!, answer).events).toEqual([
    { ...answer, files: [file('a'), file('b')] },
  ]);
});

it('an answer without attached files has no list of files', () => {
  const { current } = recordToolResults(testWork(), [result()]);
  expect(finishWork(current!, answer).events).toEqual([answer]);
});
