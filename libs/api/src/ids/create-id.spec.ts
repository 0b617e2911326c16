import { describe, expect, it } from '@jest/globals';
import { isCuid } from '@paralleldrive/cuid2';
import { createId } from './create-id';

const ids = Array.from({ length: 20_000 }, createId);

describe('createId', () => {
  it('creates cuid2s of 24 characters', () => {
    expect(ids.every((id) => isCuid(id) && /^[a-z][a-z0-9]{23}$/.test(id))).toBe(true);
  });

  it('creates 20,000 ids without a duplicate', () => {
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('uses every character about equally often in every position', () => {
    for (let position = 0; position < 24; position++) {
      const counts = new Map<string, number>();
      for (const id of ids) counts.set(id[position]!, (counts.get(id[position]!) ?? 0) + 1);
      const letters = position === 0 ? 26 : 36;
      const shares = [...counts.values()].map((seen) => (seen * letters) / ids.length);
      expect(counts.size).toBe(letters);
      expect(Math.min(...shares)).toBeGreaterThan(0.7);
      expect(Math.max(...shares)).toBeLessThan(1.3);
    }
  });
});
