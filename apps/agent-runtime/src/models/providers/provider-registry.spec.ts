import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EnvReader } from '@daycare/service-kit';
import { ModelServer } from '@daycare/testing';
import { readProviderConfig } from '../provider-config';
import { anthropicWire } from '../../test-support/model/anthropic-wire';
import { ask } from '../../test-support/model/ask-model';
import { openAiWire } from '../../test-support/model/openai-wire';
import { makeProviders } from './provider-registry';

const providersOf = (env: Record<string, string>) =>
  makeProviders(readProviderConfig(new EnvReader(env)), { sleep: async () => undefined });

describe('makeProviders', () => {
  let server: ModelServer;
  beforeEach(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.close());

  it('provides only the local provider without configuration', () => {
    const providers = providersOf({});
    expect(providers.find('local').name).toBe('local');
    expect(providers.defaultFor('user')).toEqual({ provider: 'local', model: 'echo' });
  });

  it.each(['anthropic', 'openai', 'nonsense', ''])(
    'has no provider "%s" unless it is configured',
    (name) => {
      expect(() => providersOf({}).find(name)).toThrow(
        expect.objectContaining({
          code: 'FAILED_PRECONDITION',
          message: 'the model provider of this agent is not configured',
        }),
      );
    },
  );

  it('gives each role its model', () => {
    const providers = providersOf({
      DAYCARE_ANTHROPIC_API_KEY: 'k',
      DAYCARE_MODEL: 'anthropic/claude-test',
      DAYCARE_MODEL_CRON: 'local/echo',
    });
    expect(providers.defaultFor('user')).toEqual({ provider: 'anthropic', model: 'claude-test' });
    expect(providers.defaultFor('cron')).toEqual({ provider: 'local', model: 'echo' });
    expect(providers.find('anthropic').defaultModel).toBe('claude-test');
  });

  it.each([
    [anthropicWire, 'DAYCARE_ANTHROPIC'],
    [openAiWire, 'DAYCARE_OPENAI'],
  ])('reaches $name when it is configured, with retries', async (wire, variable) => {
    const env = { [`${variable}_URL`]: server.url, [`${variable}_API_KEY`]: wire.apiKey };
    server.reply({ status: 503, steps: [] }, { steps: wire.events({ text: ['Hello'] }) });
    const { text } = await ask(providersOf(env).find(wire.name), { model: 'any' });
    expect(text).toBe('Hello');
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.lastRequest.headers)).toContain(wire.apiKey);
  });
});
