const { mkdirSync } = require('node:fs');

/** Packages published as ES modules only, which Jest on Node 20 must transform. */
const esmOnly = [
  '@paralleldrive/cuid2',
  '@noble/hashes',
  'jose',
  'openid-client',
  'oauth4webapi',
  'bignumber.js',
  'string-width',
  'strip-ansi',
  'ansi-regex',
  'get-east-asian-width',
  'preact',
  'd3-[a-z]+',
];

// Jest does not create the folder into which its report is written.
mkdirSync(`${__dirname}/test-results`, { recursive: true });

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: `${__dirname}/libs/testing/src/jest/one-context/environment.cjs`,
  runtime: `${__dirname}/libs/testing/src/jest/one-context/runtime.cjs`,
  testMatch: ['**/*.spec.ts'],
  // Packages load when they are first used (`lazy`), because most tests use few of them.
  transform: {
    '^.+\\.(t|m?j)s$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs', lazy: true },
      },
    ],
    '\\.md$': `${__dirname}/libs/testing/src/jest/text-transform.cjs`,
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  globalSetup: `${__dirname}/libs/testing/src/jest/global-setup.ts`,
  globalTeardown: `${__dirname}/libs/testing/src/jest/global-teardown.ts`,
  // Generous: a test must not fail because the machine is busy, and a test that hangs is rare.
  testTimeout: 180_000,
  maxWorkers: 1,
  // A test that failed half-way may leave a connection open, which must not keep the run from ending.
  forceExit: true,
};
