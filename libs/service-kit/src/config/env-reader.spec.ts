import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, EnvReader, withoutPassword } from './env-reader';
import { readMongoConfig, readServiceConfig } from './service-config';

const mongo = { DAYCARE_MONGO_URL: 'mongodb://localhost:27017' };

function read(env: Record<string, string>) {
  const reader = new EnvReader(env);
  return reader.done({ ...readServiceConfig(reader), ...readMongoConfig(reader, 'identity') });
}

function problem(env: Record<string, string>): string {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('EnvReader', () => {
  it('accepts an environment with only the MongoDB URL, and uses defaults for all other variables', () => {
    expect(read(mongo)).toMatchObject({
      listen: '127.0.0.1:50051',
      logLevel: 'info',
      reflection: false,
      mongoDatabase: 'identity',
    });
  });

  it('returns a frozen configuration', () => {
    expect(Object.isFrozen(read(mongo))).toBe(true);
  });

  it('names a missing variable and the expected value', () => {
    expect(problem({})).toBe(
      'DAYCARE_MONGO_URL is not set; it must be a URL starting with mongodb:// or mongodb+srv://',
    );
  });

  it.each([
    ['DAYCARE_LISTEN', 'nonsense', 'is "nonsense", but must be host:port, e.g. 0.0.0.0:50051'],
    ['DAYCARE_LISTEN', '0.0.0.0:70000', 'is "0.0.0.0:70000", but must be host:port'],
    ['DAYCARE_REFLECTION', 'yes', 'is "yes", but must be one of on, off'],
    ['DAYCARE_LOG_LEVEL', 'loud', 'is "loud", but must be one of trace, debug, info'],
    ['DAYCARE_SHUTDOWN_TIMEOUT_MS', '-1', 'is "-1", but must be a whole number from 0 to 600000'],
    ['DAYCARE_SHUTDOWN_TIMEOUT_MS', '1.5', 'is "1.5", but must be a whole number'],
    ['DAYCARE_MONGO_URL', 'http://x', 'is "http://x", but must be a URL starting with mongodb://'],
  ])('rejects %s=%s', (name, value, text) => {
    expect(problem({ ...mongo, [name]: value })).toContain(`${name} ${text}`);
  });

  it('reports all problems in one error', () => {
    expect(problem({ DAYCARE_LISTEN: 'x', DAYCARE_REFLECTION: 'y' }).split('\n')).toHaveLength(3);
  });

  it('reads a secret from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'daycare-config-'));
    const path = join(folder, 'mongo-url');
    writeFileSync(path, 'mongodb://user:pass@db\n');
    expect(read({ DAYCARE_MONGO_URL_FILE: path }).mongoUrl).toBe('mongodb://user:pass@db');
    rmSync(folder, { recursive: true });
    expect(problem({ DAYCARE_MONGO_URL_FILE: path })).toContain('which cannot be read: ENOENT');
  });

  it('never shows the password in a URL', () => {
    expect(withoutPassword('mongodb://ada:s3cret@db:27017/x')).toBe('mongodb://ada:…@db:27017/x');
    expect(problem({ DAYCARE_MONGO_URL: 'mysql://ada:s3cret@db' })).not.toContain('s3cret');
  });
});
