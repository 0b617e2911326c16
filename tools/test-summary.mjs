/** Reads Jest's report of each project, and prints the totals in the last line. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { totalsOf } from './rerun-tests.mjs';

/** The folders with the reports of the first run and of the second. */
export const reportsIn = (root) => join(root, 'test-results');
export const rerunReportsIn = (root) => join(root, 'test-results/again');

/** Returns Jest's reports in a folder, by project. */
export function readReports(folder) {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => isReport(name)) : [];
  return new Map(
    files
      .sort()
      .map((file) => [
        file.slice(0, -'.json'.length),
        JSON.parse(readFileSync(join(folder, file), 'utf8')),
      ]),
  );
}

const unstableFile = 'unstable.json';
const isReport = (name) => name.endsWith('.json') && name !== unstableFile;

/**
 * Prints the totals; the last line is `N passed, N failed`. `isFine` says whether all checks (format, lint, types,
 * contracts) and tests succeeded, the tests if necessary in a second run. If it is false although no test failed, one
 * failure is added. Returns the exit code.
 */
export function summarise(root, isFine) {
  const reruns = readReports(rerunReportsIn(root));
  const totals = { passed: 0, failed: 0, unstable: [] };
  for (const [project, report] of readReports(reportsIn(root))) {
    const projectTotals = totalsOf(report, reruns.get(project));
    totals.passed += projectTotals.passed;
    totals.failed += projectTotals.failed;
    totals.unstable.push(...projectTotals.unstable);
    console.log(line(project, projectTotals));
  }
  if (!isFine && totals.failed === 0) {
    totals.failed += 1;
    console.log('a check (format, lint, types, contracts) or a test run failed; see above');
  }
  reportUnstable(root, totals.unstable);
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return isFine && totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

function line(project, { passed, failed, unstable, ms }) {
  const also = unstable.length > 0 ? `, ${unstable.length} unstable` : '';
  return `${project}: ${passed} passed, ${failed} failed${also} in ${(ms / 1000).toFixed(1)} s`;
}

function reportUnstable(root, unstable) {
  if (unstable.length === 0) return;
  const listed = unstable.map(({ file, title }) => ({ file: relative(root, file), title }));
  writeFileSync(join(reportsIn(root), unstableFile), `${JSON.stringify(listed, null, 2)}\n`);
  console.log(
    '\nUNSTABLE: these tests failed, but passed when they were run again alone. Fix them next:',
  );
  for (const { file, title } of listed) console.log(`  ${file}${title && `: ${title}`}`);
  console.log('');
}
