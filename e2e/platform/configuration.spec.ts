import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';

const root = resolve(__dirname, '../..');

function run(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
}

/** Returns the variables that the sources of apps and libraries name, leaving out tests. */
function variablesInSources(): Set<string> {
  const paths = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /^[^/]+\/src\/(?!.*(?:\.spec\.|test-support)).*\.ts$/.test(path))
      .filter((path) => !path.startsWith('testing/') && !path.endsWith('variable-names.ts'))
      .map((path) => join(root, folder, path)),
  );
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  const names = texts.flatMap((text) => text.match(/(?<=')DAYCARE_[A-Z0-9_]*[A-Z0-9](?=')/g) ?? []);
  return new Set(names);
}

it('docs/configuration.md and the list of known variables match the built apps', () => {
  expect(run('tools/reference/write.mjs', '--check')).toBe('');
});

it('every variable that the code names is in docs/configuration.md', () => {
  const reference = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
  const names = [...variablesInSources()];
  expect(names.length).toBeGreaterThan(100);
  const isDescribed = (name: string): boolean => reference.includes(`\`${name}\``);
  // Every secret may come from a file, under its name with _FILE appended.
  const missing = names.filter(
    (name) => !isDescribed(name) && !isDescribed(name.replace(/_FILE$/, '')),
  );
  expect(missing).toEqual([]);
});

it.each(['identity', 'social-graph', 'agent-runtime', 'topology', 'gateway'])(
  'every variable of %s, except the paths of TLS and NATS files and the list of TLS clients, is in docker-compose.yml, Dockerfile or daycare.env.example',
  (app) => {
    const read = (path: string): string => readFileSync(join(root, path), 'utf8');
    const compose = parse(read('docker-compose.yml'), { merge: true });
    const printed = JSON.parse(run(`dist/${app}/main.js`, '--configuration')) as { name: string }[];
    const set = new Set([
      ...Object.keys(compose.services[app].environment as object),
      ...Array.from(read('Dockerfile').matchAll(/^ENV (\w+)=/gm), ([, name = '']) => name),
      ...Array.from(read('daycare.env.example').matchAll(/^#(\w+)=/gm), ([, name = '']) => name),
    ]);
    // Compose has no TLS between its containers, and its services sign in to NATS without files; see docs/deploy.md.
    const notInCompose = /^DAYCARE_(GATEWAY_)?(TLS|NATS)_.*(FILE|CLIENTS)$/;
    const isSet = (name: string): boolean => set.has(name) || set.has(`${name}_FILE`);
    const missing = printed.filter(({ name }) => !isSet(name) && !notInCompose.test(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  },
);
