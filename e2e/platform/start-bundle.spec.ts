import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { bundlePath, nodeOptions, serviceNames } from '@daycare/local-stack';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daycare-bundle-'));
  copyFileSync(resolve(__dirname, '../../tools/start-bundle.cjs'), join(folder, 'main.js'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const inFolder = (name: string): string => join(folder, name);
const run = (env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(process.execPath, [inFolder('main.js')], { env, encoding: 'utf8' });
const writeBundle = (word: string): void =>
  writeFileSync(inFolder('bundle.js'), `process.stdout.write('${word} ' + __filename);`);

it('a bundle runs correctly even if its V8 cache is another program’s, truncated or missing', () => {
  writeBundle('one');
  const outputOf = (word: string): string => `${word} ${inFolder('bundle.js')}`;
  expect(run()).toBe(outputOf('one'));
  expect(run({ DAYCARE_BUILD_CODE_CACHE: '1' })).toBe(outputOf('one'));
  expect(run()).toBe(outputOf('one'));
  // Another program of the same length: V8 itself would accept the first program's cache for it.
  writeBundle('two');
  expect(run()).toBe(outputOf('two'));
  run({ DAYCARE_BUILD_CODE_CACHE: '1' });
  const cache = readFileSync(inFolder('bundle.cache'));
  writeFileSync(inFolder('bundle.cache'), cache.subarray(0, cache.length - 100));
  expect(run()).toBe(outputOf('two'));
});

it.each([...serviceNames.map((name) => [name, nodeOptions] as const), ['cli', []] as const])(
  'V8 accepts the code cache of %s under the options that the program runs with',
  (name, options) => {
    const watch = inFolder('watch.cjs');
    const program = `
      const vm = require('node:vm');
      vm.Script = class extends vm.Script {
        constructor(...args) {
          super(...args);
          require('node:fs').writeFileSync(__filename + '.out', String(this.cachedDataRejected));
        }
      };`;
    writeFileSync(watch, program);
    const bundle = bundlePath(resolve(__dirname, '../..'), name);
    // A service without configuration exits as soon as it is loaded.
    spawnSync(process.execPath, [...options, '--require', watch, bundle, '--help'], { env: {} });
    expect(readFileSync(`${watch}.out`, 'utf8')).toBe('false');
  },
);
