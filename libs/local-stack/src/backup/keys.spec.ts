import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { copyKeys, requireNoOtherKeys } from './keys';

const folder = mkdtempSync(join(tmpdir(), 'daycare-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('requireNoOtherKeys', () => {
  it('accepts a missing key and the same key, and refuses a different key and one that cannot be read', async () => {
    const paths = ['source', 'same', 'different'].map((name) => join(folder, name));
    const [source = '', same = '', different = ''] = paths;
    writeFileSync(source, 'the key');
    writeFileSync(same, 'the key');
    writeFileSync(different, 'another key');
    const unreadable = join(folder, 'unreadable');
    mkdirSync(unreadable);
    const parts = await copyKeys({ 'vault-key': source }, folder);
    const check = (target: string) => requireNoOtherKeys(parts, { 'vault-key': target });
    await check(join(folder, 'missing'));
    await check(same);
    await expect(check(different)).rejects.toThrow('a different key');
    await expect(check(unreadable)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
