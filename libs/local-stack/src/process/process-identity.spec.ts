import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { isProcessAlive, mayBeAlive, pidExists, processStartTime } from './process-identity';

const { pid } = process;
const start = processStartTime(pid) ?? '';
const endedPid = spawnSync(process.execPath, ['--version']).pid;

describe('process identity', () => {
  it('a running process has a start time, which stays the same', () => {
    expect(start).not.toBe('');
    expect(processStartTime(pid)).toBe(start);
  });

  it.each([
    ['a running process', { pid, start }, true],
    ['a process whose pid now belongs to another process', { pid, start: 'earlier' }, false],
    ['a process that has ended', { pid: endedPid, start }, false],
  ])(
    'isProcessAlive and mayBeAlive correctly report whether %s is alive',
    (_, identity, isAlive) => {
      expect(isProcessAlive(identity)).toBe(isAlive);
      expect(mayBeAlive(identity)).toBe(isAlive);
    },
  );

  it('pidExists returns true for a running process and false for one that has ended', () => {
    expect([pidExists(pid), pidExists(endedPid)]).toEqual([true, false]);
  });
});
