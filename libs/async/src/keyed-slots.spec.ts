import { describe, expect, it } from '@jest/globals';
import { KeyedSlots } from './keyed-slots';

describe('KeyedSlots', () => {
  it('gives each key as many slots as the limit allows', () => {
    const slots = new KeyedSlots(2);
    const adas = ['first', 'second', 'third'].map(() => slots.slotFor('ada'));
    expect(adas.map((slot) => slot.tryTake())).toEqual([true, true, false]);
    expect(slots.slotFor('bob').tryTake()).toBe(true);
    expect(slots.size).toBe(3);
  });

  it('counts a slot once, however often it is taken or released', () => {
    const slots = new KeyedSlots(2);
    const [first, second, third] = [
      slots.slotFor('ada'),
      slots.slotFor('ada'),
      slots.slotFor('ada'),
    ];
    expect([first.tryTake(), first.tryTake(), second.tryTake()]).toEqual([true, true, true]);
    first.release();
    first.release();
    expect([third.tryTake(), slots.slotFor('ada').tryTake()]).toEqual([true, false]);
    expect(slots.size).toBe(2);
  });

  it('frees nothing when a slot that was never taken is released', () => {
    const slots = new KeyedSlots(1);
    slots.slotFor('ada').tryTake();
    slots.slotFor('ada').release();
    expect(slots.slotFor('ada').tryTake()).toBe(false);
  });
});
