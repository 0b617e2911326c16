import { describe, expect, it } from '@jest/globals';
import { describeModel, parsePrice } from './describe-model';

describe('describeModel', () => {
  it('describes only what the options set', () => {
    const price = parsePrice('3:15');
    expect(describeModel('a/b', { window: 9, images: 'no', price })).toEqual({
      id: 'a/b',
      contextWindow: 9,
      images: false,
      price: { inputMicros: 3_000_000, outputMicros: 15_000_000, cachedInputMicros: 3_000_000 },
    });
  });

  it('requires a model name if any option describes a model', () => {
    expect(describeModel('', {})).toBeUndefined();
    expect(() => describeModel('', { window: 9 })).toThrow('name it as provider/model');
  });
});

describe('parsePrice', () => {
  it('reads a price for cached input', () => {
    expect(parsePrice('3:15:0.30').cachedInputMicros).toBe(300_000);
  });

  it.each(['', '3', '3:x', '3:15:', '3:15:1:1', '-3:15'])('rejects the price %j', (text) => {
    expect(() => parsePrice(text)).toThrow('per million tokens');
  });
});
