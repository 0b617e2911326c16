import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminAuthorization, createCredentials, parseCredentials } from './credentials';
import { loadOrCreateCredentials, loadOrCreateVaultKey } from './credentials-file';
import { readEnvCredentials } from './env-credentials';

const services = { 'social-graph': 'b', 'agent-runtime': 'c', topology: 'd' };

describe('credentials', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-credentials-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const readStored = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

  it('creates different secrets of 32 random bytes for the admin and for each service except identity', () => {
    const created = [createCredentials(), createCredentials()];
    const secrets = created.flatMap(({ admin, services: serviceSecrets }) => [
      admin,
      ...Object.values(serviceSecrets),
    ]);
    expect(new Set(secrets).size).toBe(8);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('creates credentials only once and stores them in files that only their owner can read', async () => {
    const first = await loadOrCreateCredentials(folder);
    expect(first.isNew).toBe(true);
    expect(await loadOrCreateCredentials(folder)).toEqual({ ...first, isNew: false });
    expect(JSON.parse(await readStored('credentials.json'))).toEqual(first.credentials);
    expect((await readdir(folder)).sort()).toEqual(['admin.header', 'credentials.json']);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('creates the key for encrypting secrets only once, in a file that only its owner can read', async () => {
    const key = await loadOrCreateVaultKey(folder);
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(await loadOrCreateVaultKey(folder)).toBe(key);
    expect((await stat(join(folder, 'vault.key'))).mode & 0o777).toBe(0o600);
  });

  it('keeps entries that a person has added to the credentials', async () => {
    const text = JSON.stringify({ admin: 'a', services, clients: { console: 'e' } });
    await writeFile(join(folder, 'credentials.json'), text);
    const { credentials } = await loadOrCreateCredentials(folder);
    expect(JSON.stringify(credentials)).toBe(text);
  });

  it('writes the admin header file for the given credentials', async () => {
    await loadOrCreateCredentials(folder);
    const given = createCredentials();
    await loadOrCreateCredentials(folder, given);
    expect(await readStored('admin.header')).toBe(`authorization: ${adminAuthorization(given)}\n`);
    expect(adminAuthorization({ admin: 'a' })).toBe('Basic YWRtaW46YQ==');
    expect(await readStored('credentials.json')).not.toContain(given.admin);
  });

  it.each(['', '{"admin":', '[]', 'null', '{"admin":"a"}'])(
    'rejects a credentials file with the content %p, and names the file',
    async (text) => {
      await writeFile(join(folder, 'credentials.json'), text);
      await expect(loadOrCreateCredentials(folder)).rejects.toThrow(
        `${folder}/credentials.json does not contain the credentials of this stack; repair it`,
      );
    },
  );

  it.each(['social-graph', 'agent-runtime', 'topology'] as const)(
    'rejects credentials without a secret for %s',
    (name) => {
      const { [name]: _missing, ...others } = services;
      expect(parseCredentials(JSON.stringify({ admin: 'a', services }))).toBeDefined();
      expect(parseCredentials(JSON.stringify({ admin: 'a', services: others }))).toBeUndefined();
      expect(parseCredentials(JSON.stringify({ admin: '', services }))).toBeUndefined();
    },
  );

  it('reads credentials from a variable or from a file that a variable names; the file takes precedence', async () => {
    const file = join(folder, 'given.json');
    await writeFile(file, JSON.stringify({ admin: 'from the file', services }));
    const text = JSON.stringify({ admin: 'from the text', services });
    const adminOf = (env: NodeJS.ProcessEnv) => readEnvCredentials(env)?.admin;
    expect(adminOf({ DAYCARE_CREDENTIALS: text })).toBe('from the text');
    expect(adminOf({ DAYCARE_CREDENTIALS: text, DAYCARE_CREDENTIALS_FILE: file })).toBe(
      'from the file',
    );
    expect(adminOf({ DAYCARE_CREDENTIALS: '', DAYCARE_CREDENTIALS_FILE: '' })).toBeUndefined();
  });

  it('the error for invalid credentials names the variable without revealing the credentials', async () => {
    const file = join(folder, 'empty.json');
    await writeFile(file, '');
    const read = (env: NodeJS.ProcessEnv) => () => readEnvCredentials(env);
    expect(read({ DAYCARE_CREDENTIALS: 'hush' })).toThrow(/^DAYCARE_CREDENTIALS does not contain/);
    expect(read({ DAYCARE_CREDENTIALS: 'hush' })).not.toThrow(/hush/);
    expect(read({ DAYCARE_CREDENTIALS_FILE: file })).toThrow(/^DAYCARE_CREDENTIALS_FILE does not/);
    expect(read({ DAYCARE_CREDENTIALS_FILE: `${file}.missing` })).toThrow(
      /^DAYCARE_CREDENTIALS_FILE is ".*empty\.json\.missing", which cannot be read \(ENOENT/,
    );
  });
});
