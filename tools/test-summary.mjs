/** Adds up what Jest reported for each project, in one closing line. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Prints the totals; the last line is `N passed, N failed`. A suite that could not run counts as one
 * failure, and so do checks (format, lint, types, contracts) that failed: `isFine` says whether all
 * that was run ended well. Returns the exit code.
 */
export function summarise(root, isFine) {
  const folder = join(root, 'test-results');
  const files = existsSync(folder)
    ? readdirSync(folder).filter((name) => name.endsWith('.json'))
    : [];
  const totals = { passed: 0, failed: 0 };
  for (const file of files.sort()) {
    const result = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    totals.passed += result.numPassedTests;
    totals.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
    console.log(line(file.slice(0, -'.json'.length), result));
  }
  if (!isFine && totals.failed === 0) {
    totals.failed += 1;
    console.log('a check (format, lint, types, contracts) or a test run failed; see above');
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return isFine && totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

function line(project, { numPassedTests, numFailedTests, testResults }) {
  const ms = testResults.reduce((sum, { startTime, endTime }) => sum + (endTime - startTime), 0);
  return `${project}: ${numPassedTests} passed, ${numFailedTests} failed in ${(ms / 1000).toFixed(1)} s`;
}
