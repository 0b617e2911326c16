import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { listenForStop } from './stop-signals';

describe('listenForStop', () => {
  let source: EventEmitter;
  let calls: string[];
  let nowMs: number;
  beforeEach(() => {
    source = new EventEmitter();
    calls = [];
    nowMs = 5_000;
    const handlers = { onStop: () => calls.push('stop'), onSecondSignal: () => calls.push('exit') };
    listenForStop(source, handlers, () => nowMs);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('stops on %s', (signal) => {
    source.emit(signal);
    expect(calls).toEqual(['stop']);
  });

  it('treats a Ctrl-C and its copy from npm as one signal', () => {
    source.emit('SIGINT');
    nowMs += 40;
    source.emit('SIGINT');
    expect(calls).toEqual(['stop']);
  });

  it('exits on another signal that arrives more than a second after the first', () => {
    source.emit('SIGINT');
    nowMs += 1_500;
    source.emit('SIGINT');
    expect(calls).toEqual(['stop', 'exit']);
  });
});
