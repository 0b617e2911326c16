/**
 * Checks the licence of every package in package-lock.json against an allow-list.
 * Usage: node tools/check-licences.mjs
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');

/** The licences of packages that we may ship or use to build. */
export const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

/** Packages with another licence, and why that is acceptable. */
const exceptions = [
  // libvips is an unmodified, separate shared library, so it can be replaced, as the LGPL requires.
  { name: /^@img\/sharp-/, licence: 'LGPL-3.0-or-later' },
  // Used, unmodified, in tests only; nothing that is shipped contains it.
  { name: /^axe-core$/, licence: 'MPL-2.0' },
];

/** Reports whether a package with this SPDX expression may be used; parentheses are not supported. */
export function isAllowed(name, expression) {
  const excepted = exceptions
    .filter((exception) => exception.name.test(name))
    .map(({ licence }) => licence);
  const terms = expression.split(/\s+OR\s+/i);
  return terms.some((term) =>
    term.split(/\s+AND\s+/i).every((licence) => allowed.has(licence) || excepted.includes(licence)),
  );
}

/** `(MIT OR Apache-2.0)` without the parentheses around it. */
const withoutParentheses = (license) => license.replace(/^\((.*)\)$/, '$1');

/** Returns the packages of a lock file whose licence is neither allowed nor an exception. */
export function findRefused(packages) {
  return Object.entries(packages).flatMap(([path, { license = 'none', link }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (link || !path.includes('node_modules/')) return [];
    return isAllowed(name, withoutParentheses(license)) ? [] : [`${name}: ${license}`];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const refused = findRefused(packages);
  for (const line of refused) console.error(`licence not allowed: ${line}`);
  if (refused.length > 0)
    console.error('Replace the package, or add it to tools/check-licences.mjs with the reason.');
  else console.log(`licences: ${Object.keys(packages).length} packages, all allowed`);
  process.exitCode = refused.length > 0 ? 1 : 0;
}
