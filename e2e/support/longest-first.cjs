/** The stories that take longest; whatever began last would be waited for alone at the end. */
const longest = [
  'schedules',
  'subuser-kill-points',
  'agent-kill-points',
  'social-graph-races',
  'agent-storm',
  'social-graph-model',
  'probing',
  'social-graph-kill-points',
  'isolation',
  'cli',
  'identity',
  'watch-agent',
  'social-graph-crashes',
];

/** In which order Jest runs the stories. */
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
  const rank = longest.findIndex((name) => path.endsWith(`/${name}.e2e.spec.ts`));
  return rank === -1 ? longest.length : rank;
}
