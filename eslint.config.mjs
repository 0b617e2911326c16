import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { importRules } from './tools/lint/import-rules.mjs';

/** Which project may use which: one way, from apps down to contracts. */
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

export default tseslint.config(
  {
    ignores: [
      '**/node_modules',
      'dist',
      '.nx',
      '.daycare',
      'libs/contracts/src/gen',
      'test-results',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { allow: [], depConstraints: boundaries, enforceBuildableLibDependency: false },
      ],
      '@typescript-eslint/consistent-type-definitions': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { varsIgnorePattern: '^_', argsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
      ],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  // A rule is a function of its arguments: no async, clock, randomness or I/O.
  {
    files: ['apps/*/src/domain/**/*.ts', 'apps/*/src/*/domain/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: ':function[async=true]', message: 'domain/ is synchronous.' },
        { selector: 'AwaitExpression', message: 'domain/ is synchronous.' },
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'Time is an argument.',
        },
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Time is an argument.',
        },
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'Randomness is an argument.',
        },
      ],
    },
  },
  ...importRules,
  {
    files: ['**/config.ts', '**/*.spec.ts', '**/test-support/**/*.ts', 'libs/testing/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: [
      '**/*.spec.ts',
      '**/test-support/**/*.ts',
      'e2e/**/*.ts',
      'bench/**/*.ts',
      'libs/testing/**/*.ts',
    ],
    rules: {
      // A lib's tests use the test kit, which is built on that lib.
      '@nx/enforce-module-boundaries': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  // What a person reads on the terminal.
  { files: ['apps/cli/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
);
