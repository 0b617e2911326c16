import { describe, expect, it } from '@jest/globals';
import { addProvider, removeProvider, type AddedProvider } from './added-providers';

const groq: AddedProvider = {
  name: 'groq',
  baseUrl: 'https://groq.test/v1',
  sealedKey: 'sealed',
  models: [{ id: 'one', contextWindow: 1_000 }],
};
const { sealedKey: _key, ...withoutKey } = { ...groq, models: [] };

describe('addProvider', () => {
  it('keeps a stored key only if the address stays the same', () => {
    expect(addProvider([groq], { ...withoutKey, sealedKey: undefined })).toEqual([groq]);
    const elsewhere = { ...withoutKey, baseUrl: 'https://else.test/v1', sealedKey: undefined };
    expect(addProvider([groq], elsewhere)[0]?.sealedKey).toBe('');
  });

  it('replaces the stored key with a given one, and removes it when the given one is empty', () => {
    expect(addProvider([groq], { ...withoutKey, sealedKey: 'new' })[0]?.sealedKey).toBe('new');
    expect(addProvider([groq], { ...withoutKey, sealedKey: '' })[0]?.sealedKey).toBe('');
  });

  it('adds to the earlier descriptions of models, and corrects those that are described again', () => {
    const models = [{ id: 'one', contextWindow: 2_000 }, { id: 'two' }];
    expect(addProvider([groq], { ...groq, models })[0]?.models).toEqual(models);
  });

  it('keeps fields of a model that a new description omits', () => {
    const prices = { input: 1, output: 2, cachedInput: 1 };
    const described = { id: 'one', contextWindow: 1_000, prices, capabilities: { tools: true } };
    const before = [{ ...groq, models: [described] }];
    const models = [{ id: 'one', maxOutputTokens: 9, capabilities: { images: true } }];
    expect(addProvider(before, { ...groq, models })[0]?.models).toEqual([
      { ...described, maxOutputTokens: 9, capabilities: { tools: true, images: true } },
    ]);
    const nameOnly = { ...groq, models: [{ id: 'one', capabilities: {} }] };
    expect(addProvider(before, nameOnly)[0]?.models).toEqual([described]);
  });

  it('adds at most 50 providers, with at most 200 model descriptions in total', () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ ...groq, name: `p${at}`, models: [] }));
    expect(() => addProvider(many, groq)).toThrow('50 providers have already been added');
    expect(addProvider(many, { ...groq, name: 'p7' })).toHaveLength(50);
    const models = Array.from({ length: 201 }, (_, at) => ({ id: `m${at}` }));
    expect(() => addProvider([], { ...groq, models })).toThrow('at most 200 models in total');
  });
});

describe('removeProvider', () => {
  it('removes an added provider, and refuses to remove one that was not added', () => {
    expect(removeProvider([groq], 'groq')).toEqual([]);
    expect(() => removeProvider([groq], 'openai')).toThrow('Provider not found');
  });
});
