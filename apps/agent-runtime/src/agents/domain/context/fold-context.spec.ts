import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ContextMessage } from './context-message';
import { foldContext } from './fold-context';

const message = (text: string): ContextMessage => ({ role: 'user', text, files: [] });
const textOf = (each: ContextMessage): string => ('text' in each ? each.text : '');

describe('foldContext', () => {
  it('reads only the messages that were added to an already folded context', () => {
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

  it('compares two contexts only once, however many folds use them', () => {
    const joins = [1, 2, 3].map(() => foldContext('', (all, each) => all + textOf(each)));
    const context = Array.from({ length: 1_000 }, (_, at) => message(String(at)));
    const [first] = joins.map((join) => join(context));
    let reads = 0;
    const longer = new Proxy([...context, message('!')], {
      get(target, property, receiver) {
        reads += 1;
        return Reflect.get(target, property, receiver) as unknown;
      },
    });
    for (const join of joins) expect(join(longer)).toBe(`${first}!`);
    expect(reads).toBeLessThan(1_200);
  });

  it('folds an empty context to the initial value', () => {
    expect(foldContext(7, () => 0)([])).toBe(7);
  });

  it('returns the same as folding the whole context again, however the context grows, changes or is replaced', () => {
    const change = fc.record({
      kept: fc.nat({ max: 6 }),
      skipped: fc.nat({ max: 2 }),
      added: fc.array(fc.string({ minLength: 1, maxLength: 2 }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const joins = [1, 2].map(() => foldContext('', (all, each) => all + textOf(each)));
        let context: readonly ContextMessage[] = [];
        for (const { kept, skipped, added } of changes) {
          context = [...context.slice(skipped, kept), ...added.map(message)];
          const whole = context.map(textOf).join('');
          for (const join of joins) expect(join(context)).toBe(whole);
        }
      }),
    );
  });
});
