/** Adds up what Jest reported for each project and what the checks said, in one closing line. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Prints the totals; the last line is `N passed, N failed`. Each failed check (format, lint, types,
 * contracts) and each suite that could not run counts as one failure. Returns the exit code.
 */
export function summarise(root, { checks, tests }) {
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
  if (!checks) {
    totals.failed += 1;
    console.log('checks: failed (format, lint, types or contracts; see above)');
  }
  if (!tests && totals.failed === 0) {
    totals.failed += 1;
    console.log('tests: a test run ended without a result; see above');
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

function line(project, { numPassedTests, numFailedTests, testResults }) {
  const ms = testResults.reduce((sum, { startTime, endTime }) => sum + (endTime - startTime), 0);
  return `${project}: ${numPassedTests} passed, ${numFailedTests} failed in ${(ms / 1000).toFixed(1)} s`;
}
