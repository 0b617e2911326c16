import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadOrCreateSecret } from './secret-file';

const folder = mkdtempSync(join(tmpdir(), 'daycare-secret-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('loadOrCreateSecret', () => {
  it('creates a secret once and returns the same one afterwards', async () => {
    const created = await loadOrCreateSecret(join(folder, 'new'));
    expect(created.length).toBeGreaterThan(20);
    expect(await loadOrCreateSecret(join(folder, 'new'))).toBe(created);
  });

  it('refuses an empty file', async () => {
    writeFileSync(join(folder, 'empty'), '\n');
    await expect(loadOrCreateSecret(join(folder, 'empty'))).rejects.toThrow('is empty');
  });
});
