import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EnvReader } from '@daycare/service-kit';
import { ModelServer } from '@daycare/testing';
import { readModelsConfig } from '../../models-config';
import { anthropicWire } from '../../../test-support/model/anthropic-wire';
import { googleWire } from '../../../test-support/model/google-wire';
import { ask } from '../../../test-support/model/ask-model';
import { openAiWire } from '../../../test-support/model/openai-wire';
import { makeProviders } from './provider-registry';

const providersOf = (env: Record<string, string>) => {
  const reader = new EnvReader(env);
  return makeProviders(readModelsConfig(reader).providers, { sleep: async () => undefined });
};

describe('makeProviders', () => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.close());

  it('provides only the local provider when none is configured', () => {
    expect([...providersOf({}).keys()]).toEqual(['local']);
  });

  it('provides each vendor under its name, and each endpoint under the name chosen for it', () => {
    const env = {
      ANTHROPIC_API_KEY: 'k',
      OPENAI_API_KEY: 'k',
      GEMINI_API_KEY: 'k',
      DAYCARE_OLLAMA_URL: 'http://localhost:1/v1',
      DAYCARE_PROVIDERS: 'groq=http://localhost:2/v1',
    };
    const providers = providersOf(env);
    const names = ['local', 'anthropic', 'openai', 'google', 'ollama', 'groq'];
    expect([...providers.keys()]).toEqual(names);
    expect([...providers.values()].map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['DAYCARE_ANTHROPIC', anthropicWire],
    ['DAYCARE_OPENAI', openAiWire],
    ['DAYCARE_GOOGLE', googleWire],
  ])('reaches the provider that %s_URL configures, with retries', async (variable, wire) => {
    const env = { [`${variable}_URL`]: server.url, [`${variable}_API_KEY`]: wire.apiKey };
    server.reply({ status: 503, steps: [] }, { steps: wire.events({ text: ['Hello'] }) });
    const { text } = await ask(providersOf(env).get(wire.name)!, { model: 'any' });
    expect(text).toBe('Hello');
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.lastRequest.headers)).toContain(wire.apiKey);
  });
});
