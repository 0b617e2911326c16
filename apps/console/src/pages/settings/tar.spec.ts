import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { tarEnd, tarEntry } from './tar';

describe('tarEntry', () => {
  it('creates archives that tar can read', () => {
    const now = new Date('2026-11-17T10:00:00Z');
    const long = new Uint8Array(1_000).fill(65);
    const archive = Buffer.concat([
      ...tarEntry('topology.json', [Buffer.from('{}')], now),
      ...tarEntry('agents/a1/history.jsonl', [long, Buffer.from('end')], now),
      tarEnd(),
    ]);
    const run = (...options: string[]) =>
      execFileSync('tar', options, { input: archive }).toString();
    expect(run('-tf', '-').trim().split('\n')).toEqual([
      'topology.json',
      'agents/a1/history.jsonl',
    ]);
    expect(run('-xOf', '-', 'agents/a1/history.jsonl')).toBe(`${'A'.repeat(1_000)}end`);
  });
});
