const { readFileSync } = require('node:fs');

/** The longest stories start first: one that started last would run alone at the end. */
const longest = [
  'agents/kill-points',
  'cli/cli',
  'subusers/kill-points',
  'access/probing',
  'social-graph/races',
  'agents/storm',
  'cli/demo',
  'access/identity',
  'cli/npm-start',
  'agents/one-order',
  'agents/hostile-model',
  'control/kill-points',
  'subusers/isolation',
  'cli/cluster',
  'agents/schedules',
  'operations/runbooks',
  'social-graph/kill-points',
  'social-graph/crashes',
  'subusers/hostile-guest',
  'social-graph/model',
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
