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
    const handlers = { onStop: () => calls.push('stop'), onHurry: () => calls.push('hurry') };
    listenForStop(source, handlers, () => nowMs);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('stops at %s', (signal) => {
    source.emit(signal);
    expect(calls).toEqual(['stop']);
  });

  it('takes the same Ctrl-C that npm forwards for one', () => {
    source.emit('SIGINT');
    nowMs += 40;
    source.emit('SIGINT');
    expect(calls).toEqual(['stop']);
  });

  it('hurries at a second wish', () => {
    source.emit('SIGINT');
    nowMs += 1_500;
    source.emit('SIGINT');
    expect(calls).toEqual(['stop', 'hurry']);
  });
});
