import { describe, expect, it } from '@jest/globals';
import { maxParallelCalls, nextCalls } from './next-calls';

const call = (name: string, index: number) => ({ id: `${index}`, name, argumentsJson: '{}' });
const next = (...names: string[]): string[] =>
  nextCalls(names.map(call), (name) => name.startsWith('read')).map(({ name }) => name);

describe('nextCalls', () => {
  it.each([
    [[], []],
    [
      ['read1', 'read2'],
      ['read1', 'read2'],
    ],
    [['read1', 'write', 'read2'], ['read1']],
    [['write', 'read1'], ['write']],
    [['write', 'write'], ['write']],
  ])('given the calls %j, makes the calls %j first', (open, made) => {
    expect(next(...open)).toEqual(made);
  });

  it('makes at most eight calls in parallel', () => {
    const many = Array.from({ length: 100 }, (_, index) => `read${index}`);
    expect(next(...many)).toEqual(many.slice(0, maxParallelCalls));
  });
});
