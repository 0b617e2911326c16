import { describe, expect, it } from '@jest/globals';
import { readChatLine } from './chat-line';

describe('a line of a chat', () => {
  it.each([
    ['', { kind: 'nothing' }],
    ['  ', { kind: 'nothing' }],
    ['/quit', { kind: 'quit' }],
    [' /reset ', { kind: 'reset' }],
    ['/history', { kind: 'history', count: 20 }],
    ['/history  5', { kind: 'history', count: 5 }],
    ['/topology', { kind: 'topology' }],
    ['/help', { kind: 'help' }],
  ])('%j is for the chat', (line, expected) => {
    expect(readChatLine(line)).toEqual(expected);
  });

  it.each(['hello', '/topology {}', '/history all', '/history 0', '/friend_list {}', 'say /quit'])(
    '%j is for the agent',
    (line) => {
      expect(readChatLine(`${line} `)).toEqual({ kind: 'say', text: line });
    },
  );
});
