const { readFileSync } = require('node:fs');

/** The longest stories start first: one that started last would run alone at the end. */
const longest = [
  'social-graph/model',
  'agents/kill-points',
  'subusers/kill-points',
  'agents/schedules',
  'agents/one-order',
  'control/kill-points',
  'agents/hostile-model',
  'social-graph/races',
  'access/probing',
  'agents/storm',
  'cli/cli',
  'access/identity',
  'social-graph/crashes',
  'social-graph/kill-points',
  'topology/watch',
  'agents/watch',
  'turns/tools-once',
  'turns/rolling-restart',
  'gateway/every-rpc',
];

/**
 * Orders the stories of a Jest run: the longest first, those on shared stacks last. A stack costs time
 * even while no story uses it, so shared ones start late and are used without a break.
 */
module.exports = class LongestFirst {
  sort(tests) {
    return [...tests].sort((one, other) => rankOf(one) - rankOf(other));
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
};

function rankOf({ path }) {
  const found = longest.findIndex((name) => path.endsWith(`/${name}.e2e.spec.ts`));
  const rank = found === -1 ? longest.length : found;
  const isShared = readFileSync(path, 'utf8').includes('useSharedStack(');
  return isShared ? longest.length + 1 + rank : rank;
}
