/**
 * Decides which spec files are run once more, and combines the results of both runs. A test that failed and then
 * passes is unstable: it does not fail the run, but is reported.
 */
import { relative, sep } from 'node:path';

/** If more files than this failed, the cause is probably not chance, and none is run again. */
const maxFiles = 3;

/** Returns the projects with their failed spec files; none when nothing failed, or when too many files failed. */
export function selectReruns(root, reports) {
  const failed = [...reports]
    .map(([project, { testResults }]) => ({
      project,
      files: testResults.filter(({ status }) => status === 'failed').map(({ name }) => name),
    }))
    .filter(({ files }) => files.length > 0);
  if (failed.flatMap(({ files }) => files).length > maxFiles) return [];
  return failed.map(({ project, files }) => ({
    project,
    files,
    projectRoot: projectRootOf(relative(root, files[0])),
  }));
}

function projectRootOf(path) {
  const [top, name] = path.split(sep);
  return top === 'apps' || top === 'libs' ? `${top}/${name}` : top;
}

/**
 * Adds up the results of one project. `rerun` is the report of its second run, if there was one; for the files in it,
 * it replaces the first report.
 */
export function totalsOf(first, rerun) {
  const second = new Map((rerun?.testResults ?? []).map((result) => [result.name, result]));
  const results = first.testResults.map((result) => second.get(result.name) ?? result);
  return {
    passed: results.flatMap(({ assertionResults }) => assertionResults).filter(isPassed).length,
    failed: results.reduce((sum, result) => sum + countFailures(result), 0),
    unstable: first.testResults.flatMap((result) =>
      unstableTestsOf(result, second.get(result.name)),
    ),
    ms: first.testResults.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0),
  };
}

const isPassed = ({ status }) => status === 'passed';
const isFailed = ({ status }) => status === 'failed';

/**
 * Counts failed tests. A file that failed without a failed test, e.g. because it could not be loaded, is one failure.
 */
function countFailures({ status, assertionResults }) {
  const failed = assertionResults.filter(isFailed).length;
  return failed === 0 && status === 'failed' ? 1 : failed;
}

/** Returns the tests that first failed and then passed; for a file that first could not be loaded, the file itself. */
function unstableTestsOf({ name: file, status, assertionResults }, second) {
  if (status !== 'failed' || !second) return [];
  const passed = new Set(second.assertionResults.filter(isPassed).map(({ fullName }) => fullName));
  const failed = assertionResults.filter(isFailed).map(({ fullName }) => fullName);
  if (failed.length === 0) return second.status === 'passed' ? [{ file, title: '' }] : [];
  return failed.filter((title) => passed.has(title)).map((title) => ({ file, title }));
}
