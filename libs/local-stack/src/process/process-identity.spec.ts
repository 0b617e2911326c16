import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { isProcessAlive, mayBeAlive, pidExists, processStartTime } from './process-identity';

const { pid } = process;
const start = processStartTime(pid) ?? '';
const endedPid = spawnSync(process.execPath, ['--version']).pid;

describe('the identity of a process', () => {
  it('a running process has a start time, which stays the same', () => {
    expect(start).not.toBe('');
    expect(processStartTime(pid)).toBe(start);
  });

  it.each([
    ['a running process', { pid, start }, true],
    ['a process whose pid another process has now', { pid, start: 'earlier' }, false],
    ['a process that has ended', { pid: endedPid, start }, false],
  ])('correctly reports whether %s is alive', (_, identity, isAlive) => {
    expect(isProcessAlive(identity)).toBe(isAlive);
    expect(mayBeAlive(identity)).toBe(isAlive);
  });

  it('a pid exists as long as its process runs', () => {
    expect([pidExists(pid), pidExists(endedPid)]).toEqual([true, false]);
  });
});
