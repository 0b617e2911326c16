import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Which project may use which: one way, from apps down to contracts. */
const boundaries = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:lib'] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['type:lib'] },
  { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['type:lib', 'type:testing'] },
  { sourceTag: 'type:bench', onlyDependOnLibsWithTags: ['type:lib', 'type:testing'] },
  { sourceTag: 'lib:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'lib:errors', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'lib:mongo', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'lib:rpc', onlyDependOnLibsWithTags: ['lib:contracts', 'lib:errors'] },
  { sourceTag: 'lib:auth', onlyDependOnLibsWithTags: ['lib:contracts', 'lib:errors', 'lib:rpc'] },
  {
    sourceTag: 'lib:messaging',
    onlyDependOnLibsWithTags: ['lib:contracts', 'lib:errors', 'lib:mongo', 'lib:rpc'],
  },
  {
    sourceTag: 'lib:service-kit',
    onlyDependOnLibsWithTags: [
      'lib:auth',
      'lib:contracts',
      'lib:errors',
      'lib:messaging',
      'lib:mongo',
      'lib:rpc',
    ],
  },
  { sourceTag: 'lib:local-stack', onlyDependOnLibsWithTags: ['lib:contracts', 'lib:errors'] },
];

const forbid = (group, message) => ({ group, message });
const noMongo = forbid(['mongodb'], 'Only store/ talks to MongoDB.');
const layer = (folder, patterns) => ({
  files: [`apps/*/src/${folder}/**/*.ts`],
  ignores: ['**/*.spec.ts'],
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

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
  // A rule is a function of its arguments: no I/O, no clock, no chance, no waiting.
  {
    files: ['apps/*/src/domain/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            forbid(['node:*', 'mongodb', 'nats', '@grpc/*', 'pino'], 'domain/ is pure.'),
            forbid(
              ['../rpc/*', '../store/*', '../usecases/*', '../events/*'],
              'domain/ knows no other layer.',
            ),
            forbid(['@daycare/*', '!@daycare/errors'], 'domain/ may use @daycare/errors only.'),
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: ':function[async=true]', message: 'domain/ does not wait.' },
        { selector: 'AwaitExpression', message: 'domain/ does not wait.' },
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
          message: 'Chance is an argument.',
        },
      ],
    },
  },
  layer('usecases', [
    noMongo,
    forbid(['nats', '@grpc/*'], 'A usecase knows no transport.'),
    forbid(['../rpc/*', '../events/*'], 'Dependencies flow rpc → usecases → domain.'),
  ]),
  layer('rpc', [noMongo, forbid(['../store/*'], 'rpc/ calls usecases, not stores.')]),
  layer('events', [noMongo, forbid(['../store/*'], 'events/ calls usecases, not stores.')]),
  layer('tools', [noMongo]),
  layer('home', [noMongo]),
  layer('sandbox', [noMongo]),
  layer('edge', [noMongo]),
  layer('store', [
    forbid(['../rpc/*', '../usecases/*', '../events/*'], 'Stores know domain types only.'),
  ]),
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
