const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const oneAtATime = require('./one-at-a-time.cjs');

/** Packages that are loaded once per worker, because they are slow to load and keep no state between test files. */
const shared = new Set([
  'mongodb',
  'nats',
  '@grpc/grpc-js',
  '@bufbuild/protobuf',
  '@bufbuild/protobuf/wire',
  'fast-check',
  'zod',
]);

/** Compiled modules by file, with the source they were compiled from. */
const compiled = new Map();

/** Gives each test file its own modules, but compiles a module only once per worker. */
module.exports = class OneContextRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    if (typeof executor?.compile !== 'function')
      throw new Error('one-context/runtime.cjs does not support this version of Jest');
    executor.compile = (source, filename) => {
      const known = compiled.get(filename);
      if (known?.source === source) return known.run;
      const run = compileFunction(source, executor.injectedModuleParameters, { filename });
      compiled.set(filename, { source, run });
      return run;
    };
  }

  requireModuleOrMock(from, moduleName) {
    if (shared.has(moduleName)) return require(moduleName);
    return super.requireModuleOrMock(from, moduleName);
  }

  /** Called for what Jest's own modules require. */
  requireInternalModule(from, moduleName) {
    if (moduleName === 'node:async_hooks') return oneAtATime;
    return super.requireInternalModule(from, moduleName);
  }
};
