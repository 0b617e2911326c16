import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminAuthorization, createCredentials, parseCredentials } from './credentials';
import { loadOrCreateCredentials } from './credentials-file';
import { readGivenCredentials } from './given-credentials';

const services = { 'social-graph': 'b', 'agent-runtime': 'c', topology: 'd' };

describe('credentials', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'daycare-credentials-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const readHere = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

  it('are 32 random bytes each, all different', () => {
    const made = [createCredentials(), createCredentials()];
    const secrets = made.flatMap(({ admin, services: own }) => [admin, ...Object.values(own)]);
    expect(new Set(secrets).size).toBe(8);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  it('are made once and kept, readable by their owner alone', async () => {
    const first = await loadOrCreateCredentials(folder);
    expect(first.isNew).toBe(true);
    expect(await loadOrCreateCredentials(folder)).toEqual({ ...first, isNew: false });
    expect(JSON.parse(await readHere('credentials.json'))).toEqual(first.credentials);
    expect((await readdir(folder)).sort()).toEqual(['admin.header', 'credentials.json']);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('are kept with what a person has added to them', async () => {
    const text = JSON.stringify({ admin: 'a', services, clients: { console: 'e' } });
    await writeFile(join(folder, 'credentials.json'), text);
    const { credentials } = await loadOrCreateCredentials(folder);
    expect(JSON.stringify(credentials)).toBe(text);
  });

  it('have a header file of the admin that follows what was given', async () => {
    await loadOrCreateCredentials(folder);
    const given = createCredentials();
    await loadOrCreateCredentials(folder, given);
    expect(await readHere('admin.header')).toBe(`authorization: ${adminAuthorization(given)}\n`);
    expect(adminAuthorization({ admin: 'a' })).toBe('Basic YWRtaW46YQ==');
    expect(await readHere('credentials.json')).not.toContain(given.admin);
  });

  it.each(['', '{"admin":', '[]', 'null', '{"admin":"a"}'])(
    'are refused with the name of their file when it holds %s',
    async (text) => {
      await writeFile(join(folder, 'credentials.json'), text);
      await expect(loadOrCreateCredentials(folder)).rejects.toThrow(
        `${folder}/credentials.json no longer holds the credentials of this stack; mend it`,
      );
    },
  );

  it.each(['social-graph', 'agent-runtime', 'topology'] as const)(
    'are not taken without the secret of %s',
    (name) => {
      const { [name]: _missing, ...others } = services;
      expect(parseCredentials(JSON.stringify({ admin: 'a', services }))).toBeDefined();
      expect(parseCredentials(JSON.stringify({ admin: 'a', services: others }))).toBeUndefined();
      expect(parseCredentials(JSON.stringify({ admin: '', services }))).toBeUndefined();
    },
  );

  it('may be given by the environment, as text or by a file, and the file wins', async () => {
    const file = join(folder, 'given.json');
    await writeFile(file, JSON.stringify({ admin: 'of the file', services }));
    const text = JSON.stringify({ admin: 'of the text', services });
    const adminOf = (env: NodeJS.ProcessEnv) => readGivenCredentials(env)?.admin;
    expect(adminOf({ DAYCARE_CREDENTIALS: text })).toBe('of the text');
    expect(adminOf({ DAYCARE_CREDENTIALS: text, DAYCARE_CREDENTIALS_FILE: file })).toBe(
      'of the file',
    );
    expect(adminOf({ DAYCARE_CREDENTIALS: '', DAYCARE_CREDENTIALS_FILE: '' })).toBeUndefined();
  });

  it('given by the environment are refused by the name of the variable, without their value', async () => {
    const file = join(folder, 'empty.json');
    await writeFile(file, '');
    const read = (env: NodeJS.ProcessEnv) => () => readGivenCredentials(env);
    expect(read({ DAYCARE_CREDENTIALS: 'hush' })).toThrow(/^DAYCARE_CREDENTIALS does not hold/);
    expect(read({ DAYCARE_CREDENTIALS: 'hush' })).not.toThrow(/hush/);
    expect(read({ DAYCARE_CREDENTIALS_FILE: file })).toThrow(/^DAYCARE_CREDENTIALS_FILE does not/);
    expect(read({ DAYCARE_CREDENTIALS_FILE: `${file}.gone` })).toThrow(
      /^DAYCARE_CREDENTIALS_FILE is ".*empty\.json\.gone", which cannot be read \(ENOENT/,
    );
  });
});
