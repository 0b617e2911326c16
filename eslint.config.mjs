import nx from '@nx/eslint-plugin';
import { parser } from 'typescript-eslint';
import { importRules } from './tools/lint/import-rules.mjs';

/** Which other projects a project may use. Dependencies point in one direction, from apps down to contracts. */
const boundaries = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:lib'] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['type:lib'] },
  { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['type:lib', 'type:testing'] },
  { sourceTag: 'type:bench', onlyDependOnLibsWithTags: ['type:lib', 'type:testing'] },
  { sourceTag: 'lib:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'lib:api', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'lib:async', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'lib:mongo', onlyDependOnLibsWithTags: ['lib:api'] },
  { sourceTag: 'lib:rpc', onlyDependOnLibsWithTags: ['lib:api', 'lib:async', 'lib:contracts'] },
  {
    sourceTag: 'lib:auth',
    onlyDependOnLibsWithTags: ['lib:api', 'lib:async', 'lib:contracts', 'lib:rpc'],
  },
  {
    sourceTag: 'lib:messaging',
    onlyDependOnLibsWithTags: ['lib:api', 'lib:async', 'lib:contracts', 'lib:mongo', 'lib:rpc'],
  },
  {
    sourceTag: 'lib:service-kit',
    onlyDependOnLibsWithTags: [
      'lib:api',
      'lib:async',
      'lib:auth',
      'lib:contracts',
      'lib:messaging',
      'lib:mongo',
      'lib:rpc',
    ],
  },
  {
    sourceTag: 'lib:client',
    onlyDependOnLibsWithTags: ['lib:api', 'lib:async', 'lib:contracts', 'lib:rpc'],
  },
  {
    sourceTag: 'lib:local-stack',
    onlyDependOnLibsWithTags: ['lib:api', 'lib:async', 'lib:contracts', 'lib:mongo'],
  },
];

const noDynamicImports = {
  selector: 'ImportExpression[source.value=/^\\./]',
  message: 'Import files of this app statically, so that lint checks the import.',
};

const noLiteralSpreads = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression[properties.length>0]',
  message: 'Write the properties directly.',
};

/**
 * The rules that oxlint does not have; oxlint checks all others, including those that need types: see .oxlintrc.json.
 */
export default [
  {
    ignores: ['**/node_modules', '**/*.spec.ts', '**/test-support/**', 'libs/contracts/src/gen'],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parser },
    plugins: { '@nx': nx },
    rules: { 'no-restricted-syntax': ['error', noLiteralSpreads] },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    // Libs' tests use libs/testing, which itself uses those libs, so its imports would be reported as circular.
    ignores: ['libs/testing/**'],
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { allow: [], depConstraints: boundaries, enforceBuildableLibDependency: false },
      ],
    },
  },
  // The stories check every tool against the same table that agent-runtime enforces.
  {
    files: ['e2e/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          allow: [
            '../../../apps/agent-runtime/src/agents/domain/tool-rules',
            '../../../apps/agent-runtime/src/tools/domain/tool-policy',
          ],
          depConstraints: boundaries,
          enforceBuildableLibDependency: false,
        },
      ],
    },
  },
  // `no-restricted-imports` does not check dynamic imports, so layers and features must not import their app's files
  // dynamically.
  {
    files: ['apps/*/src/*/**/*.ts'],
    ignores: ['apps/cli/**', 'apps/console/**'],
    rules: { 'no-restricted-syntax': ['error', noLiteralSpreads, noDynamicImports] },
  },
  // Dependencies must be named where an object is constructed, so that a reader sees there what the object can use.
  {
    files: ['apps/*/src/service.ts', 'apps/*/src/**/build.ts', 'apps/*/src/**/build-*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        noLiteralSpreads,
        noDynamicImports,
        {
          selector:
            'ObjectExpression > SpreadElement[argument.name=/^(deps|stores|parts|common)$|(Deps|Stores|Parts)$/]',
          message: 'Name each dependency.',
        },
      ],
    },
  },
  // A domain rule is a function of its arguments: no async, clock, randomness or I/O.
  {
    files: ['apps/*/src/domain/**/*.ts', 'apps/*/src/*/domain/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        noLiteralSpreads,
        noDynamicImports,
        { selector: ':function[async=true]', message: 'domain/ is synchronous.' },
        { selector: 'AwaitExpression', message: 'domain/ is synchronous.' },
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'domain/ must not read the clock; take the time as an argument.',
        },
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'domain/ must not read the clock; take the time as an argument.',
        },
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'domain/ must not use Math.random(); take the random value as an argument.',
        },
      ],
    },
  },
  ...importRules,
];
