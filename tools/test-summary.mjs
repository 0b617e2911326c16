/** Reads what Jest reported for each project, and prints the totals in one closing line. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { totalsOf } from './rerun-tests.mjs';

/** Where the reports of the first run are, and those of the second. */
export const reportsIn = (root) => join(root, 'test-results');
export const rerunReportsIn = (root) => join(root, 'test-results/again');

/** Jest's reports in a folder, by project. */
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
 * Prints the totals; the last line is `N passed, N failed`. A suite that could not run counts as one
 * failure, and so do checks (format, lint, types, contracts) that failed: `isFine` says whether everything
 * that was run succeeded, if necessary in a second run. Returns the exit code.
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
  console.log('\nUNSTABLE: failed, and passed when run again alone. Fix these next:');
  for (const { file, title } of listed) console.log(`  ${file}${title && `: ${title}`}`);
  console.log('');
}
