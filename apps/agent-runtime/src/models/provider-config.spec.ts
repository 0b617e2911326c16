import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@daycare/service-kit';
import { readProviderConfig } from './provider-config';

function read(env: Record<string, string>) {
  const reader = new EnvReader(env);
  return reader.done(readProviderConfig(reader));
}

const local = { provider: 'local', model: 'echo' };
const key = { DAYCARE_ANTHROPIC_API_KEY: 'sk-ant-1' };

describe('readProviderConfig', () => {
  it('works without any variable', () => {
    expect(read({})).toEqual({
      anthropic: undefined,
      openai: undefined,
      models: { user: local, subagent: local, cron: local, heartbeat: local },
    });
  });

  it('enables Anthropic with an API key', () => {
    expect(read(key).anthropic).toEqual({ apiKey: 'sk-ant-1' });
    const elsewhere = { ...key, DAYCARE_ANTHROPIC_URL: 'https://proxy.test/v1' };
    expect(read(elsewhere).anthropic).toEqual({
      apiKey: 'sk-ant-1',
      baseUrl: 'https://proxy.test/v1',
    });
  });

  it('enables an OpenAI-compatible endpoint with a URL and an optional API key', () => {
    const url = { DAYCARE_OPENAI_URL: 'http://localhost:8080/v1' };
    expect(read(url).openai).toEqual({ apiKey: '', baseUrl: 'http://localhost:8080/v1' });
    expect(read({ ...url, DAYCARE_OPENAI_API_KEY: 'sk-1' }).openai?.apiKey).toBe('sk-1');
  });

  it('reads API keys from files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'daycare-keys-'));
    const path = join(folder, 'key');
    writeFileSync(path, 'sk-from-file\n');
    expect(read({ DAYCARE_ANTHROPIC_API_KEY_FILE: path }).anthropic?.apiKey).toBe('sk-from-file');
    rmSync(folder, { recursive: true });
  });

  it('uses one model for all agents unless a role has its own', () => {
    const { models } = read({
      ...key,
      DAYCARE_OPENAI_URL: 'http://localhost:8080/v1',
      DAYCARE_MODEL: 'anthropic/claude-1',
      DAYCARE_MODEL_SUBAGENT: 'openai/meta-llama/llama-1',
      DAYCARE_MODEL_HEARTBEAT: 'local/echo',
    });
    expect(models).toEqual({
      user: { provider: 'anthropic', model: 'claude-1' },
      subagent: { provider: 'openai', model: 'meta-llama/llama-1' },
      cron: { provider: 'anthropic', model: 'claude-1' },
      heartbeat: local,
    });
  });

  it.each([
    [
      { DAYCARE_MODEL: 'anthropic/claude-1' },
      'DAYCARE_MODEL is "anthropic/claude-1", but DAYCARE_ANTHROPIC_API_KEY is not set',
    ],
    [
      { DAYCARE_MODEL_CRON: 'openai/gpt-1' },
      'DAYCARE_MODEL_CRON is "openai/gpt-1", but DAYCARE_OPENAI_URL is not set',
    ],
    [
      { DAYCARE_MODEL_USER: 'other/x' },
      'DAYCARE_MODEL_USER is "other/x", but must be provider/model with provider local, anthropic or openai, e.g. local/echo',
    ],
    [{ DAYCARE_MODEL: 'claude-1' }, 'DAYCARE_MODEL is "claude-1", but must be provider/model'],
    [{ DAYCARE_MODEL: 'local/' }, 'DAYCARE_MODEL is "local/", but must be provider/model'],
    [{ DAYCARE_OPENAI_URL: 'localhost:80' }, 'DAYCARE_OPENAI_URL is "localhost:80", but must be'],
    [{ DAYCARE_OPENAI_URL: 'http://' }, 'DAYCARE_OPENAI_URL is not a valid URL'],
    [{ DAYCARE_ANTHROPIC_URL: 'https://a:b@c' }, 'DAYCARE_ANTHROPIC_URL must not contain a user'],
  ])('rejects %j', (env, problem) => {
    expect(() => read(env as Record<string, string>)).toThrow(problem);
  });

  it('reports a problem of all roles once', () => {
    expect(() => read({ DAYCARE_MODEL: 'anthropic/x' })).toThrow(/^[^\n]+$/);
  });

  it('never quotes a password', () => {
    expect(() => read({ DAYCARE_OPENAI_URL: 'https://ada:s3cret@host' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
    );
  });
});
