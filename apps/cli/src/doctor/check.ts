import type { Style } from '../output/view';
import { safeLine } from '../output/safe-text';

export type CheckStatus = 'ok' | 'warn' | 'fail';

/** The result of one check. */
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  /** The finding, as a sentence fragment. */
  readonly found: string;
  /** What to do about it; empty when the check passed or there is nothing to advise. */
  readonly advice: string;
}

export function ok(name: string, found: string): Check {
  return { name, status: 'ok', found, advice: '' };
}

/** Reports a limitation, or the lack of something that only some people need. */
export function warn(name: string, found: string, advice: string): Check {
  return { name, status: 'warn', found, advice };
}

/** Reports a problem that prevents Daycare from working, or exposes tokens. */
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
  return warnings > 0
    ? `No failures, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
    : 'All checks passed.';
}
