const { readFileSync } = require('node:fs');

/**
 * The longest stories. They start before the others on the same kind of stack, because one that started late would
 * still be running alone at the end.
 */
const longest = [
  'agents/kill-points',
  'cli/cli',
  'subusers/kill-points',
  'social-graph/model',
  'console/hostile-text',
  'console/stepping-in',
  'agents/schedules',
  'access/probing',
  'social-graph/races',
  'agents/storm',
  'cli/demo',
  'gateway/every-rpc',
  'access/identity',
  'agents/message-order',
  'console/story',
  'subusers/isolation',
  'social-graph/kill-points',
  'social-graph/crashes',
  'cli/npm-start',
  'console/two-people-one-browser',
  'turns/rolling-restart',
  'console/interruptions',
  'cli/day',
  'social-graph/endings',
  'cli/cluster',
  'gateway/browser-sessions',
];

/**
 * Sorts the stories of a Jest run: the longest first, those on shared stacks last. A stack costs time even while no
 * story uses it, so shared stacks start late and are then used without a break.
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
