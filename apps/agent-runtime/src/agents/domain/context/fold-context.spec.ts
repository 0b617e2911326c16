import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ContextMessage } from './context-message';
import { foldContext } from './fold-context';

const message = (text: string): ContextMessage => ({ role: 'user', text, files: [] });
const textOf = (each: ContextMessage): string => ('text' in each ? each.text : '');

describe('foldContext', () => {
  it('reads only the messages after a context that was folded before', () => {
    const read: string[] = [];
    const join = foldContext('', (all, each) => {
      read.push(textOf(each));
      return all + textOf(each);
    });
    const context = ['a', 'b', 'c'].map(message);
    expect(join(context)).toBe('abc');
    expect(join([...context, message('d')])).toBe('abcd');
    expect(read).toEqual(['a', 'b', 'c', 'd']);
  });

  it('folds an empty context to the initial value', () => {
    expect(foldContext(7, () => 0)([])).toBe(7);
  });

  it('returns what folding the whole context would, however contexts grow, change and start over', () => {
    const change = fc.record({
      kept: fc.nat({ max: 6 }),
      skipped: fc.nat({ max: 2 }),
      added: fc.array(fc.string({ minLength: 1, maxLength: 2 }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const join = foldContext('', (all, each) => all + textOf(each));
        let context: readonly ContextMessage[] = [];
        for (const { kept, skipped, added } of changes) {
          context = [...context.slice(skipped, kept), ...added.map(message)];
          expect(join(context)).toBe(context.map(textOf).join(''));
        }
      }),
    );
  });
});
