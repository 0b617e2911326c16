import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../../test-results');

/** Appends a duration to test-results/figures.jsonl. Tests do not assert speed, because machines differ. */
export function recordFigure(what: string, tookMs: number): void {
  mkdirSync(folder, { recursive: true });
  const line = JSON.stringify({ what, tookMs: Math.round(tookMs), at: new Date() });
  appendFileSync(join(folder, 'figures.jsonl'), `${line}\n`);
}
