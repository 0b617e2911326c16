import { describe, expect, it } from '@jest/globals';
import { selectReruns, totalsOf, type Report, type SpecResult } from '../../tools/rerun-tests.mjs';

type Outcome = 'passed' | 'failed';

/** Returns the result of a spec file whose tests had these outcomes; without any, the file could not run. */
function spec(name: string, outcomes: Readonly<Record<string, Outcome>>): SpecResult {
  const tests = Object.entries(outcomes).map(([fullName, status]) => ({ fullName, status }));
  const hasPassed = tests.length > 0 && tests.every(({ status }) => status === 'passed');
  const status = hasPassed ? 'passed' : 'failed';
  return { name, status, startTime: 1_000, endTime: 3_000, assertionResults: tests };
}

const report = (...testResults: SpecResult[]): Report => ({ testResults });
const passingSpec = spec('/r/apps/identity/src/a.spec.ts', { one: 'passed' });
const failingSpec = (path: string) => spec(`/r/${path}`, { one: 'passed', two: 'failed' });

describe('choosing what to run again', () => {
  it('only files that failed are run again, each in its own project', () => {
    const reports = new Map([
      ['identity', report(passingSpec, failingSpec('apps/identity/src/b.spec.ts'))],
      ['mongo', report(failingSpec('libs/mongo/src/c.int.spec.ts'))],
      ['e2e', report(spec('/r/e2e/cli/up.e2e.spec.ts', {}))],
      ['topology', report(passingSpec)],
    ]);
    expect(selectReruns('/r', reports)).toEqual([
      {
        project: 'identity',
        projectRoot: 'apps/identity',
        files: ['/r/apps/identity/src/b.spec.ts'],
      },
      { project: 'mongo', projectRoot: 'libs/mongo', files: ['/r/libs/mongo/src/c.int.spec.ts'] },
      { project: 'e2e', projectRoot: 'e2e', files: ['/r/e2e/cli/up.e2e.spec.ts'] },
    ]);
  });

  it('nothing is run again if no file or more than three files failed', () => {
    const files = ['a', 'b', 'c', 'd'].map((name) => failingSpec(`e2e/${name}.spec.ts`));
    expect(selectReruns('/r', new Map([['e2e', report(...files)]]))).toEqual([]);
    expect(selectReruns('/r', new Map([['e2e', report(passingSpec)]]))).toEqual([]);
  });
});

describe('combining two runs', () => {
  const file = '/r/e2e/a.spec.ts';
  const outcome = (first: Report, again?: Report) => {
    const { ms: _, ...totals } = totalsOf(first, again);
    return totals;
  };

  it('a test that failed and then passed counts as passed and unstable', () => {
    const again = report(spec(file, { one: 'passed', two: 'passed' }));
    expect(outcome(report(passingSpec, failingSpec('e2e/a.spec.ts')), again)).toEqual({
      passed: 3,
      failed: 0,
      unstable: [{ file, title: 'two' }],
    });
  });

  it('a test that failed twice, or only in the second run, counts as failed', () => {
    const twice = report(spec(file, { one: 'failed', two: 'failed' }));
    expect(outcome(report(failingSpec('e2e/a.spec.ts')), twice)).toEqual({
      passed: 0,
      failed: 2,
      unstable: [],
    });
  });

  it('a file that could not run counts as one failure, or as unstable if it runs the second time', () => {
    const broken = report(spec(file, {}));
    expect(outcome(broken)).toEqual({ passed: 0, failed: 1, unstable: [] });
    expect(outcome(broken, broken)).toEqual({ passed: 0, failed: 1, unstable: [] });
    expect(outcome(broken, report(spec(file, { one: 'passed' })))).toEqual({
      passed: 1,
      failed: 0,
      unstable: [{ file, title: '' }],
    });
  });

  it('the totals are those of the first run if there is no second one', () => {
    const first = report(passingSpec, failingSpec('e2e/a.spec.ts'));
    expect(totalsOf(first)).toEqual({ passed: 2, failed: 1, unstable: [], ms: 4_000 });
  });
});
