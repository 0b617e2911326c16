const { writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * Runs test files in the context of the worker itself instead of a new context for each file, so that the worker
 * compiles each module once and loads some packages once (see `runtime.cjs`). Each file still has its own modules, and
 * gets the environment variables that the worker started with.
 */
class OneContextEnvironment {
  #variables = { ...process.env };

  constructor({ projectConfig }, { testPath }) {
    noteSpec(relative(projectConfig.rootDir, testPath));
    // Jest replaces globals such as the console in this object; the worker's own globals stay unchanged.
    this.global = Object.create(globalThis, { process: { value: Object.create(process) } });
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return globalThis;
  }
}

/** Stores which spec file this process is running, for `tools/test-cost.mjs`. */
function noteSpec(path) {
  const { TEST_COST_FOLDER: folder } = process.env;
  if (folder) writeFileSync(join(folder, String(process.pid)), path);
}

module.exports = OneContextEnvironment;
