/**
 * Checks that no folder contains more than 20 files, and that there are no import cycles between folders. Tests may
 * import from anywhere, so the imports of specs and test support are ignored.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const maxFiles = 20;

const folders = ['apps', 'libs', 'e2e', 'bench', 'tools'];
const listFiles = ['ls-files', '--cached', '--others', '--exclude-standard'];
const files = execFileSync('git', [...listFiles, ...folders], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  // Fixtures are backups of data from earlier releases, not code.
  .filter((file) => !file.startsWith('e2e/fixtures/'))
  // A file that was moved stays listed until the move is staged.
  .filter((file) => existsSync(resolve(root, file)));

function largeFolders() {
  const counts = new Map();
  for (const file of files) {
    const folder = posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > maxFiles);
}

const isSource = (file) =>
  /\.tsx?$/.test(file) && !/\.spec\.tsx?$/.test(file) && !/(^|\/)(test-support|gen)\//.test(file);
const sources = new Set(files.filter(isSource));

/**
 * Files that construct or re-export what a folder and its subfolders contain would cause cycles if they counted as part
 * of the folder, so each is a node of its own.
 */
const isComposition = (file) => /\/(index|main|config|service|build|program)\.tsx?$/.test(file);
const nodeOf = (file) => (isComposition(file) ? file : posix.dirname(file));

/** Returns the nodes that each node imports, and for each import one importing file, for the error message. */
function readGraph() {
  const graph = new Map();
  for (const file of sources) {
    const node = nodeOf(file);
    if (!graph.has(node)) graph.set(node, new Map());
    const text = readFileSync(resolve(root, file), 'utf8');
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)) {
      const path = posix.join(posix.dirname(file), specifier);
      const target = [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`, path].find((candidate) =>
        sources.has(candidate),
      );
      if (!target || nodeOf(target) === node) continue;
      const imports = graph.get(node);
      if (!imports.has(nodeOf(target))) imports.set(nodeOf(target), file);
    }
  }
  return graph;
}

/** Returns a shortest path from a node back to itself; undefined when there is none. */
function findCycle(graph, start) {
  const cameFrom = new Map();
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node)?.keys() ?? []) {
      if (next === start) {
        const path = [node];
        while (path[0] !== start) path.unshift(cameFrom.get(path[0]));
        return path;
      }
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return undefined;
}

/** Returns the cycles, shortest first; a cycle that shares a node with an earlier one is left out. */
function findCycles(graph) {
  const cycles = [...graph.keys()].flatMap((node) => {
    const cycle = findCycle(graph, node);
    return cycle ? [cycle] : [];
  });
  const seen = new Set();
  return cycles
    .sort((a, b) => a.length - b.length)
    .filter((cycle) => {
      const isNew = !cycle.some((node) => seen.has(node));
      if (isNew) cycle.forEach((node) => seen.add(node));
      return isNew;
    });
}

const graph = readGraph();
const describeStep = (node, next) => `  ${graph.get(node).get(next)} imports from ${next}`;
const problems = [
  ...largeFolders().map(
    ([folder, count]) =>
      `${folder}/ contains ${count} files, but at most ${maxFiles} are allowed: group them into subfolders.`,
  ),
  ...findCycles(graph).map((cycle) =>
    [
      'These folders import each other; remove one of the imports:',
      ...cycle.map((node, index) => describeStep(node, cycle[(index + 1) % cycle.length])),
    ].join('\n'),
  ),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
