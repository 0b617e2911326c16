import type { Style } from '../output/view';
import { safeLine } from '../output/safe-text';

export type CheckStatus = 'ok' | 'warn' | 'fail';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  /** What is there. */
  readonly found: string;
  /** What to do about it; empty when all is well. */
  readonly advice: string;
}

export function ok(name: string, found: string): Check {
  return { name, status: 'ok', found, advice: '' };
}

/** Something that works less well than it could, or that only some need. */
export function warn(name: string, found: string, advice: string): Check {
  return { name, status: 'warn', found, advice };
}

/** Something that keeps Daycare from working. */
export function fail(name: string, found: string, advice: string): Check {
  return { name, status: 'fail', found, advice };
}

export function renderChecks(checks: readonly Check[], { colours }: Style): string {
  const paint = { ok: colours.green, warn: colours.yellow, fail: colours.red };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, found, advice }) => [
    `${paint[status](status.padEnd(4))}  ${name.padEnd(width)}  ${safeLine(found)}`,
    ...(advice === '' ? [] : [`${' '.repeat(width + 8)}${colours.dim(`→ ${safeLine(advice)}`)}`]),
  ]);
  return [...lines, '', summaryOf(checks)].join('\n');
}

function summaryOf(checks: readonly Check[]): string {
  const count = (status: CheckStatus): number =>
    checks.filter((check) => check.status === status).length;
  const [warnings, failures] = [count('warn'), count('fail')];
  if (failures > 0) return `${failures} of ${checks.length} checks failed.`;
  return warnings > 0 ? `Nothing is broken; ${warnings} to look at.` : 'All is well.';
}
