import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { addressOf, checkAddition, type AddProviderCall } from './check-addition';

const valid: AddProviderCall = {
  requestId: 'r1',
  name: 'groq',
  url: 'https://groq.test/openai/v1',
  apiKey: 'gsk_1',
  models: [
    { id: 'llama', contextWindow: 131_072, prices: { input: 1, output: 2, cachedInput: 1 } },
  ],
};

function problemsOf(change: object): string[] {
  try {
    checkAddition({ ...valid, ...change });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.message).not.toMatch(/gsk|hush/);
    return (error.details.fields ?? []).map(({ field }) => field);
  }
}

describe('addressOf', () => {
  const gateway = { name: 'openai', baseUrl: 'https://gateway.test/v1' };
  const openai = { name: 'openai', url: '' };

  it('the address of a provider defaults to the stored one or, if none is stored, to the vendor’s own', () => {
    expect(addressOf(openai, [gateway])).toBe(gateway.baseUrl);
    expect(addressOf({ ...openai, apiKey: 'sk-1' }, [])).toBe('');
    expect(addressOf({ ...openai, url: 'https://new.test/v1' }, [gateway])).toBe(
      'https://new.test/v1',
    );
  });

  it('the address of a provider is required when none is known for its name', () => {
    expect(() => addressOf({ name: 'groq', url: '' }, [gateway])).toThrow('required for groq');
  });

  it('a new key without an address is refused if an address is stored, because another operator may have changed that address', () => {
    expect(() => addressOf({ ...openai, apiKey: 'sk-1' }, [gateway])).toThrow(
      'is required when the key changes, even if the address stays the same: openai was added with https://gateway.test/v1',
    );
  });
});

describe('checkAddition', () => {
  it.each([
    [{}],
    [{ name: 'anthropic', url: '' }],
    [{ name: 'ollama', url: '', apiKey: undefined }],
    [{ url: 'http://127.0.0.1:11434/v1' }],
    [{ url: '' }],
  ])('accepts an otherwise valid provider with %j', (change) => {
    expect(problemsOf(change)).toEqual([]);
  });

  it.each([
    [{ requestId: '' }, 'request_id'],
    [{ name: '' }, 'name'],
    [{ name: 'local' }, 'name'],
    [{ name: 'Groq' }, 'name'],
    [{ name: 'x'.repeat(33) }, 'name'],
    [{ url: 'groq.test/v1' }, 'url'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: 'https://user:hush@groq.test/v1' }, 'url'],
    [{ url: 'https://groq.test/v1?key=hush' }, 'url'],
    [{ url: 'https://groq.test/v1#x' }, 'url'],
    [{ url: 'https://groq.test/a b' }, 'url'],
    [{ url: `https://groq.test/${'x'.repeat(2_048)}` }, 'url'],
    [{ apiKey: 'gsk 1' }, 'api_key'],
    [{ apiKey: 'gsk\n' }, 'api_key'],
    [{ apiKey: 'x'.repeat(4_097) }, 'api_key'],
    [{ models: Array.from({ length: 21 }, () => ({ id: 'x' })) }, 'models'],
    [{ models: [{ id: '' }] }, 'models[0].id'],
    [{ models: [{ id: 'x', contextWindow: 0 }] }, 'models[0].context_window'],
    [{ models: [{ id: 'x', maxOutputTokens: 1.5 }] }, 'models[0].max_output_tokens'],
    [
      { models: [{ id: 'x', prices: { input: -1, output: 0, cachedInput: 0 } }] },
      'models[0].price.input_micros',
    ],
  ])('refuses an otherwise valid provider with %j', (change, field) => {
    expect(problemsOf(change)).toEqual([field]);
  });
});
