import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  makeTestSandbox,
  testSetup,
  whyNoSandbox,
  type TestSandbox,
} from '../../test-support/homes/test-sandbox';
import { probeSandbox } from './probe-sandbox';
import { makeRunSandboxed } from './run-sandboxed';
import { mountedPaths, type SystemFolder } from './sandbox-command';

const reason = whyNoSandbox();

let sandbox: TestSandbox;
let usersDir: string;
beforeAll(() => {
  // Programs have their own /tmp, which would hide anything mounted there.
  sandbox = makeTestSandbox({}, '/var/tmp');
  usersDir = join(sandbox.usersDir, "the users' files");
  mkdirSync(usersDir, 0o711);
});
afterAll(() => sandbox.close());

/** Probes a sandbox that also mounts the folders in `more`, declaring that it also mounts the paths in `mounted`. */
function probe(options: { usersDir: string; more?: SystemFolder[]; mounted?: string[] }) {
  const { more = [], mounted = [] } = options;
  const run = makeRunSandboxed({ ...testSetup, system: [...testSetup.system, ...more] });
  return probeSandbox({
    run,
    usersDir: options.usersDir,
    mounted: [...mountedPaths(testSetup.system), ...mounted],
    isRoot: sandbox.uid !== undefined,
    uid: sandbox.uid,
  });
}

it('probeSandbox refuses a users’ directory that programs could see, even if only through a link', async () => {
  const link = join(sandbox.usersDir, 'link');
  symlinkSync(usersDir, link);
  const inner = join(usersDir, 'inner');
  for (const mounted of [usersDir, sandbox.usersDir, inner, link]) {
    for (const path of [usersDir, link])
      await expect(probe({ usersDir: path, mounted: [mounted] })).resolves.toContain(
        'programs can see',
      );
  }
  expect(readdirSync(usersDir)).toEqual([]);
});

if (reason === undefined) {
  it('probeSandbox accepts a users’ directory that programs cannot see', async () => {
    await expect(probe({ usersDir, mounted: [`${usersDir}-2`] })).resolves.toBeUndefined();
    expect(readdirSync(usersDir)).toEqual([]);
  });

  it('probeSandbox detects from inside the sandbox that programs can see a users’ directory whose mount was not declared', async () => {
    const more: SystemFolder[] = [{ kind: 'folder', path: usersDir }];
    await expect(probe({ usersDir, more })).resolves.toContain('programs can see the contents of');
    expect(readdirSync(usersDir)).toEqual([]);
  });
}
