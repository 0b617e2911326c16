import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { ModelServer } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { openAiWire } from '../../test-support/model/openai-wire';
import { testModels } from '../../test-support/model/test-models';
import { startTestRuntime } from '../../test-support/test-runtime';

const vault = { DAYCARE_VAULT_KEY: 'a key that is hard to guess' };
const key = 'gsk-hush';
const operator = { kind: 'operator' } as const;
const { signal } = new AbortController();
const runtime = useFixture(() => startTestRuntime({}));
const replica = (env: Record<string, string> = vault) => testModels(runtime, env);
const documents = () => runtime.mongo.db.collection<{ _id: string }>('model_choices');

let server: ModelServer;
beforeEach(async () => {
  server = await ModelServer.start();
});
afterEach(async () => {
  await documents().deleteMany({});
  await server.close();
});

const groq = (more: object = {}) => ({
  requestId: createId(),
  name: 'groq',
  url: server.url,
  apiKey: key,
  models: [],
  ...more,
});
const test = (models: ReturnType<typeof replica>, model = 'groq/llama') =>
  models.testModel({ requester: operator, model, signal });

describe('a provider that is added at run time', () => {
  it('an added provider is known on every replica, with its key, once the call has returned', async () => {
    const [one, other] = [replica(), replica()];
    expect((await other.listModels()).providers).toEqual(['local']);
    await one.addProvider(groq());
    expect((await other.listModels()).providers).toEqual(['local', 'groq']);
    server.reply({ steps: openAiWire.events({ text: ['Hello'] }) });
    expect(await test(other)).toMatchObject({ problem: '' });
    expect(server.lastRequest.headers.authorization).toBe(`Bearer ${key}`);
  });

  it('once an added provider is chosen, agents use it from their next call on', async () => {
    const [one, other] = [replica(), replica()];
    const agent = await runtime.newAgent();
    expect((await other.chooser.choose(agent)).model.provider).toBe('local');
    await one.addProvider(groq());
    const scope = { requester: operator, userId: '', agentId: '', role: undefined };
    await one.setModel({ ...scope, requestId: createId(), models: ['groq/llama'] });
    expect((await other.chooser.choose(agent)).provider.name).toBe('groq');
  });

  it('neither the database nor a list shows the key of an added provider', async () => {
    const models = replica();
    await models.addProvider(groq());
    const stored = JSON.stringify(await documents().find().toArray());
    expect(stored).toContain(server.url);
    expect(stored).not.toContain(key);
    const listed = await models.listProviders();
    expect(listed).toMatchObject([{ name: 'groq', url: server.url, hasKey: true, added: true }]);
    expect(JSON.stringify(listed)).not.toContain(key);
  });

  it('while keys cannot be encrypted, a provider with a key is refused and one without a key is added', async () => {
    const models = replica({});
    await expect(models.addProvider(groq())).rejects.toThrow(
      /^Keys cannot be stored here: set DAYCARE_VAULT_KEY/,
    );
    expect(await documents().countDocuments()).toBe(0);
    await models.addProvider(groq({ apiKey: undefined }));
    expect((await models.listModels()).providers).toEqual(['local', 'groq']);
  });

  it('a key that was encrypted with another vault key is not used, and the list says what to do', async () => {
    await replica().addProvider(groq());
    const other = replica({ DAYCARE_VAULT_KEY: 'another that is hard to guess' });
    expect((await other.listModels()).providers).toEqual(['local']);
    const [listed] = await other.listProviders();
    expect(listed?.problem).toContain(
      `the stored address was changed: run "daycare model add groq ${server.url}" again`,
    );
    expect((await test(other)).problem).toContain('see "daycare model providers"');
  });

  it('a provider whose key cannot be decrypted is not replaced by a configured one with the same name', async () => {
    await replica().addProvider(groq());
    const env = { DAYCARE_VAULT_KEY: 'another that is hard to guess' };
    const other = replica({ ...env, DAYCARE_PROVIDERS: 'groq=https://configured.test/v1' });
    expect((await other.listModels()).providers).toEqual(['local']);
    expect(await other.listProviders()).toMatchObject([
      { added: true, problem: expect.stringContaining('its key cannot be decrypted') },
      { added: false, problem: 'overridden by the added provider with the same name' },
    ]);
  });

  it('an added provider keeps its address when none is given, and accepts a new key only along with an address', async () => {
    const models = replica();
    await models.addProvider(groq({ name: 'openai' }));
    const again = { requestId: createId(), name: 'openai', url: '', models: [{ id: 'm' }] };
    await models.addProvider(again);
    const withNewKey = { ...again, requestId: createId(), apiKey: 'sk-new' };
    await expect(models.addProvider(withNewKey)).rejects.toThrow(`was added with ${server.url}`);
    expect(await models.listProviders()).toMatchObject([
      { name: 'openai', url: server.url, hasKey: true, models: [{ id: 'm' }], problem: '' },
    ]);
    server.reply(openAiWire.error(401, 'no'));
    expect((await test(models, 'openai/m')).problem).toContain(
      `run "daycare model add openai ${server.url}" to replace the key`,
    );
  });

  it('an attacker who can write to the database cannot redirect a key to another address', async () => {
    await replica().addProvider(groq());
    const moved = { 'providers.0.baseUrl': 'https://evil.test/v1' };
    await documents().updateOne({ _id: 'providers' }, { $set: moved });
    expect((await replica().listModels()).providers).toEqual(['local']);
  });

  it('an added provider overrides a configured one with the same name until it is removed', async () => {
    const elsewhere = await ModelServer.start();
    try {
      const env = { ...vault, DAYCARE_PROVIDERS: `groq=${elsewhere.url}` };
      const models = replica(env);
      await models.addProvider(groq());
      server.reply({ steps: openAiWire.events({ text: ['Hello'] }) });
      expect((await test(models)).problem).toBe('');
      await models.removeProvider({ requestId: createId(), name: 'groq' });
      elsewhere.reply({ steps: openAiWire.events({ text: ['Hello'] }) });
      expect((await test(models)).problem).toBe('');
      expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 1]);
    } finally {
      await elsewhere.close();
    }
  });

  it('a retried request to add a provider does not undo its later removal', async () => {
    const models = replica();
    const first = groq();
    await models.addProvider(first);
    await models.removeProvider({ requestId: createId(), name: 'groq' });
    await models.addProvider(first);
    expect(await models.listProviders()).toEqual([]);
    const missing = models.removeProvider({ requestId: createId(), name: 'groq' });
    await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('no concurrent change to providers is lost', async () => {
    const [one, other] = [replica(), replica()];
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name, at) => (at % 2 ? one : other).addProvider(groq({ name }))));
    expect((await one.listProviders()).map(({ name }) => name).sort()).toEqual(names);
  });

  it('a rejected key does not block the key that replaces it', async () => {
    const models = replica();
    await models.addProvider(groq());
    const agent = await runtime.newAgent();
    const scope = { requester: operator, userId: '', agentId: '', role: undefined };
    const list = ['groq/llama', 'local/echo'];
    await models.setModel({ ...scope, requestId: createId(), models: list });
    server.reply(openAiWire.error(401, 'no'));
    const rejected = await models.chooser.choose(agent);
    const failure = await rejected.provider
      .answer({
        model: 'llama',
        systemPrompt: '',
        context: [],
        tools: [],
        signal,
        onDelta: () => undefined,
      })
      .catch((error: unknown) => error);
    models.chooser.failed(rejected, failure);
    expect((await models.chooser.choose(agent)).model.provider).toBe('local');
    const before = await models.chooser.listOf(agent);
    await models.addProvider(groq({ apiKey: 'gsk-right' }));
    expect((await models.chooser.choose(agent)).model.provider).toBe('groq');
    // The text of the list has changed on every replica, so work that is waiting for such a change is retried.
    const after = await models.chooser.listOf(agent);
    expect(after).not.toBe(before);
    expect(await replica().chooser.listOf(agent)).toBe(after);
  });

  it('the window and price set for a model at run time replace the assumed ones', async () => {
    const prices = { input: 590_000, output: 790_000, cachedInput: 590_000 };
    const models = replica();
    await models.addProvider(groq({ models: [{ id: 'llama', contextWindow: 131_072, prices }] }));
    const { models: listed } = await replica().listModels();
    expect(listed).toContainEqual(
      expect.objectContaining({ id: 'llama', contextWindow: 131_072, maxOutputTokens: 4_096 }),
    );
    expect(models.addedPriceOf('groq/llama')).toEqual(prices);
    expect(models.labelOf('groq/llama')).toBe('groq/llama');
    expect(models.labelOf('groq/other-one')).toBe('groq/other');
  });

  it('an added vendor needs a key, which is kept when a later request only describes a model', async () => {
    const models = replica();
    const vendor = { requestId: createId(), name: 'anthropic', url: '', models: [] };
    await expect(models.addProvider(vendor)).rejects.toThrow('required for anthropic');
    await models.addProvider({ ...vendor, apiKey: 'sk-ant' });
    const described = { ...vendor, requestId: createId(), models: [{ id: 'claude-99' }] };
    await models.addProvider(described);
    expect(await models.listProviders()).toMatchObject([
      { name: 'anthropic', hasKey: true, models: [{ id: 'claude-99' }] },
    ]);
  });
});
