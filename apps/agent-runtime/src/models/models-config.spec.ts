import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@daycare/service-kit';
import { readModelsConfig } from './models-config';

function read(env: Record<string, string>) {
  const reader = new EnvReader(env);
  return reader.done(readModelsConfig(reader));
}

const providersOf = (env: Record<string, string>) => read(env).providers;
const namesOf = (env: Record<string, string>) => providersOf(env).map(({ name }) => name);
const local = { provider: 'local', id: 'echo' };
const key = { DAYCARE_ANTHROPIC_API_KEY: 'sk-ant-1' };
const compatible = { DAYCARE_OPENAI_URL: 'http://localhost:8080/v1' };

describe('readModelsConfig', () => {
  it('works with no variables set', () => {
    const defaults = { providers: [], roles: {}, vaultKey: '', descriptions: new Map() };
    expect(read({})).toEqual({ ...defaults, instance: [local] });
  });

  it('enables Anthropic with an API key', () => {
    expect(providersOf(key)).toEqual([
      {
        name: 'anthropic',
        kind: 'anthropic',
        apiKey: 'sk-ant-1',
        keyVariable: 'DAYCARE_ANTHROPIC_API_KEY',
      },
    ]);
    const elsewhere = { ...key, DAYCARE_ANTHROPIC_URL: 'https://proxy.test/v1' };
    expect(providersOf(elsewhere)[0]?.baseUrl).toBe('https://proxy.test/v1');
  });

  it.each([
    ['ANTHROPIC_API_KEY', 'anthropic'],
    ['OPENAI_API_KEY', 'openai'],
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'google'],
    ['GEMINI_API_KEY', 'google'],
  ])('accepts a vendor’s key in the variable %s', (variable, name) => {
    expect(providersOf({ [variable]: 'k' })).toEqual([
      { name, kind: name, apiKey: 'k', keyVariable: variable },
    ]);
  });

  it('prefers DAYCARE_ANTHROPIC_API_KEY to ANTHROPIC_API_KEY', () => {
    expect(providersOf({ ...key, ANTHROPIC_API_KEY: 'other' })[0]?.apiKey).toBe('sk-ant-1');
  });

  it('enables an OpenAI-compatible endpoint with a URL and an optional API key', () => {
    const spec = { name: 'openai', kind: 'compatible', baseUrl: 'http://localhost:8080/v1' };
    expect(providersOf(compatible)).toEqual([{ ...spec, apiKey: '' }]);
    expect(providersOf({ ...compatible, DAYCARE_OPENAI_API_KEY: 'sk-1' })[0]?.apiKey).toBe('sk-1');
  });

  it("does not send a vendor's key to another address", () => {
    expect(providersOf({ ...compatible, OPENAI_API_KEY: 'sk-1' })[0]?.apiKey).toBe('');
  });

  it('enables Ollama when one of its models is chosen or its URL is set', () => {
    expect(providersOf({ DAYCARE_MODEL: 'ollama/llama3' })[0]?.baseUrl).toBe(
      'http://127.0.0.1:11434/v1',
    );
    expect(providersOf({ DAYCARE_OLLAMA_URL: 'http://gpu:11434/v1' })[0]?.baseUrl).toBe(
      'http://gpu:11434/v1',
    );
    expect(namesOf({})).toEqual([]);
  });

  it('enables further OpenAI-compatible endpoints under names chosen by the operator', () => {
    const env = {
      DAYCARE_PROVIDERS: 'groq=https://api.groq.test/v1, my-box=http://box:1/v1',
      DAYCARE_GROQ_API_KEY: 'gsk',
    };
    expect(providersOf(env)).toEqual([
      { name: 'groq', kind: 'compatible', apiKey: 'gsk', baseUrl: 'https://api.groq.test/v1' },
      { name: 'my-box', kind: 'compatible', apiKey: '', baseUrl: 'http://box:1/v1' },
    ]);
  });

  it('reads API keys from files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'daycare-keys-'));
    const path = join(folder, 'key');
    writeFileSync(path, 'sk-from-file\n');
    expect(providersOf({ DAYCARE_ANTHROPIC_API_KEY_FILE: path })[0]?.apiKey).toBe('sk-from-file');
    expect(providersOf({ GEMINI_API_KEY_FILE: path })[0]?.apiKey).toBe('sk-from-file');
    rmSync(folder, { recursive: true });
  });

  it('reads lists of models for all agents and for particular roles', () => {
    const { instance, roles } = read({
      ...key,
      ...compatible,
      DAYCARE_MODEL: 'anthropic/claude-1, openai/gpt-1',
      DAYCARE_MODEL_SUBAGENT: 'openai/meta-llama/llama-1',
      DAYCARE_MODEL_HEARTBEAT: 'local/echo',
    });
    expect(instance).toEqual([
      { provider: 'anthropic', id: 'claude-1' },
      { provider: 'openai', id: 'gpt-1' },
    ]);
    expect(roles).toEqual({
      subagent: [{ provider: 'openai', id: 'meta-llama/llama-1' }],
      heartbeat: [local],
    });
  });

  it('accepts a list of models if at least one of them can be used', () => {
    const { instance } = read({ DAYCARE_MODEL: 'anthropic/claude-1,local/echo' });
    expect(instance).toHaveLength(2);
  });

  it('reads the operator’s descriptions of models', () => {
    const entry = { contextWindow: 8_192, capabilities: { images: true } };
    const { descriptions } = read({
      DAYCARE_MODEL_CATALOGUE: JSON.stringify({ 'ollama/llama3': entry }),
    });
    expect([...descriptions]).toEqual([['ollama/llama3', entry]]);
  });

  it.each([
    [
      { DAYCARE_MODEL: 'anthropic/claude-1' },
      'DAYCARE_MODEL is "anthropic/claude-1", but DAYCARE_ANTHROPIC_API_KEY is not set',
    ],
    [
      { DAYCARE_MODEL_CRON: 'openai/gpt-1' },
      'but neither DAYCARE_OPENAI_API_KEY nor DAYCARE_OPENAI_URL is set',
    ],
    [
      { DAYCARE_MODEL_USER: 'other/x' },
      'DAYCARE_MODEL_USER is "other/x", but there is no provider "other"; for an OpenAI-compatible endpoint set DAYCARE_PROVIDERS=other=https://… and DAYCARE_OTHER_API_KEY',
    ],
    [{ DAYCARE_MODEL: 'claude-1' }, 'DAYCARE_MODEL is "claude-1", but must be provider/model'],
    [{ DAYCARE_MODEL: 'local/' }, 'DAYCARE_MODEL is "local/", but must be provider/model'],
    [{ DAYCARE_MODEL: 'local/other' }, 'DAYCARE_MODEL is "local/other", but must be'],
    [{ DAYCARE_MODEL: Array(6).fill('local/echo').join() }, 'has 6 models, but takes at most 5'],
    [{ DAYCARE_OPENAI_URL: 'localhost:80' }, 'DAYCARE_OPENAI_URL is "localhost:80", but must be'],
    [{ DAYCARE_OPENAI_URL: 'http://' }, 'DAYCARE_OPENAI_URL is not a valid URL'],
    [{ DAYCARE_ANTHROPIC_URL: 'https://a:b@c' }, 'DAYCARE_ANTHROPIC_URL must not contain a user'],
    [{ DAYCARE_PROVIDERS: 'groq' }, 'DAYCARE_PROVIDERS has an entry that is not name=URL'],
    [{ DAYCARE_PROVIDERS: 'openai=http://x/v1' }, 'has "openai", which is a built-in provider'],
    [{ DAYCARE_PROVIDERS: 'a=http://x/v1,a=http://y/v1' }, 'DAYCARE_PROVIDERS has "a" twice'],
    [{ DAYCARE_PROVIDERS: 'a=http://u:p@x/v1' }, 'must not contain a user or password for "a"'],
    [{ DAYCARE_MODEL_CATALOGUE: '{' }, 'DAYCARE_MODEL_CATALOGUE is not valid JSON'],
    [
      { DAYCARE_MODEL_CATALOGUE: '{"x":{}}' },
      'has an entry "x", but entries must be named provider/model',
    ],
    [
      { DAYCARE_MODEL_CATALOGUE: '{"a/b":{"contextWindow":0}}' },
      'DAYCARE_MODEL_CATALOGUE has an invalid entry: a/b.contextWindow',
    ],
  ])('rejects %j', (env, problem) => {
    expect(() => read(env as Record<string, string>)).toThrow(problem);
  });

  it('reports an unusable default model once, not again for each role', () => {
    expect(() => read({ DAYCARE_MODEL: 'anthropic/x' })).toThrow(/^[^\n]+$/);
  });

  it('never quotes a password', () => {
    expect(() => read({ DAYCARE_OPENAI_URL: 'https://ada:s3cret@host' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
    );
  });
});
