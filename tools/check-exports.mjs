/**
 * Checks that every exported value is used in another file, and that every name that a folder's `index.ts` re-exports
 * is used outside the folder. Compares words, so it misses an unused export that has the same name as something else.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
// Includes new files that git does not track yet, because one of them may be the only user of an export.
const listFiles = ['ls-files', '--cached', '--others', '--exclude-standard'];
const patterns = ['*.ts', '*.tsx', '*.mjs', '*.mts', '*.cjs'];
const tracked = execFileSync('git', [...listFiles, ...patterns], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(resolve(root, file)));

const textOf = new Map(tracked.map((file) => [file, readFileSync(resolve(root, file), 'utf8')]));

/** For each word, the files that contain it. */
const filesByWord = new Map();
for (const [file, text] of textOf)
  for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g)))
    filesByWord.set(word, [...(filesByWord.get(word) ?? []), file]);

const isBarrel = (file) => posix.basename(file) === 'index.ts';
// The exports of the client package are for programs outside this repository.
const isPublished = (file) => file.startsWith('libs/client/');

const declaration =
  /^export (?:async )?(?:abstract )?(?:function\*?|class|const|let|enum) ([A-Za-z_$][\w$]*)/gm;
const reExport = /^export (?:type )?\{([^}]*)\} from/gm;

const reExportsOf = new Map(
  tracked.map((file) => [file, isBarrel(file) ? readReExports(textOf.get(file)) : []]),
);

function readReExports(text) {
  return [...text.matchAll(reExport)].flatMap(([, names]) =>
    names
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/^.* as /, ''),
      )
      .filter((name) => name !== ''),
  );
}

/** Returns the problem with an export, or undefined. */
function problemOf(name, file) {
  const isReExported = reExportsOf.get(file).includes(name);
  const folder = isReExported ? `${posix.dirname(file)}/` : file;
  const users = (filesByWord.get(name) ?? [])
    .filter((other) => !other.startsWith(folder))
    .filter((other) => isPublished(other) || !reExportsOf.get(other).includes(name));
  return users.length === 0 ? `${file}: no other file uses ${name}; do not export it` : undefined;
}

const problems = tracked
  .filter((file) => /\.tsx?$/.test(file) && !isPublished(file))
  .flatMap((file) => [
    ...[...textOf.get(file).matchAll(declaration)].map(([, name]) => problemOf(name, file)),
    ...reExportsOf.get(file).map((name) => problemOf(name, file)),
  ])
  .filter((problem) => problem !== undefined);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
