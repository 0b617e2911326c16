import { describe, expect, it } from '@jest/globals';
import { readChatLine } from './chat-line';

describe('readChatLine', () => {
  it.each([
    ['', { kind: 'empty' }],
    ['  ', { kind: 'empty' }],
    ['/quit', { kind: 'quit' }],
    [' /reset ', { kind: 'reset' }],
    ['/stop', { kind: 'stop', steeringText: '' }],
    ['/stop  do this instead', { kind: 'stop', steeringText: 'do this instead' }],
    ['/attach  my photo.png', { kind: 'attach', path: 'my photo.png' }],
    ['/save', { kind: 'save', folder: '.' }],
    ['/save ~/in', { kind: 'save', folder: '~/in' }],
    ['/history', { kind: 'history', count: 20 }],
    ['/history  5', { kind: 'history', count: 5 }],
    ['/topology', { kind: 'topology' }],
    ['/model', { kind: 'model', model: '' }],
    ['/model  openai/gpt-5', { kind: 'model', model: 'openai/gpt-5' }],
    ['/help', { kind: 'help' }],
  ])('reads the line %j as %j', (line, expected) => {
    expect(readChatLine(line)).toEqual(expected);
  });

  it.each([
    'hello',
    '/stopping',
    '/attach',
    '/attachment_read {}',
    '/saved',
    '/topology {}',
    '/model a b',
    '/history all',
    '/history 0',
    '/friend_list {}',
    'say /quit',
  ])('treats %j as a message to the agent', (line) => {
    expect(readChatLine(`${line} `)).toEqual({ kind: 'message', text: line });
  });
});
