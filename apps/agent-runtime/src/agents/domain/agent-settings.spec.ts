import { describe, expect, it } from '@jest/globals';
import { changedFields } from './agent-settings';

const now = new Date('2026-01-01T12:00:00Z');

describe('changedFields', () => {
  it('a name and prompt written in a guest’s turn are stored with the turn’s trust', () => {
    const settings = { name: 'Cook', systemPrompt: 'Cook.', trust: 'guest' } as const;
    expect(changedFields(settings, now)).toStrictEqual({
      'descriptor.name': 'Cook',
      renamedAt: now,
      nameTrust: 'guest',
      'descriptor.systemPrompt': 'Cook.',
      promptTrust: 'guest',
    });
  });

  it.each([undefined, 'own', 'person'] as const)(
    'a new name written with the trust %s removes the stored trust of the name, but not that of the prompt',
    (trust) => {
      expect(changedFields({ name: 'Cook', trust }, now)).toStrictEqual({
        'descriptor.name': 'Cook',
        renamedAt: now,
        nameTrust: undefined,
      });
    },
  );

  it('a new prompt written by the user removes the stored trust of the prompt, but not that of the name', () => {
    expect(changedFields({ systemPrompt: '' }, now)).toStrictEqual({
      'descriptor.systemPrompt': '',
      promptTrust: undefined,
    });
  });

  it('an empty list of models removes the agent’s choice, and omitted settings change nothing', () => {
    const models = [{ provider: 'local', id: 'echo' }];
    expect(changedFields({ models }, now)).toStrictEqual({ models });
    expect(changedFields({ models: [] }, now)).toStrictEqual({ models: undefined });
    expect(changedFields({ trust: 'guest' }, now)).toStrictEqual({});
  });
});
