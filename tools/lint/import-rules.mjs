/** Which files may import what: layers inside apps, features inside agent-runtime. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const forbid = (group, message) => ({ group, message });
const forbidMatch = (regex, message) => ({ regex, message });
const noMongo = forbid(['mongodb'], 'Only store/ talks to MongoDB.');
const noTransport = forbid(
  ['nats', '@grpc/*', '@daycare/contracts', '@daycare/contracts/*'],
  'This layer must not depend on a transport: use a port that peers/, rpc/ or events/ implements.',
);
const noRpc = forbid(['@daycare/rpc'], noTransport.message);
const noOuterLayer = forbid(
  ['**/rpc/*', '**/events/*'],
  'Dependencies flow rpc | events | tools | turns → usecases → domain.',
);
const noStore = forbid(['**/store/*'], 'Only usecases and build.ts use stores.');

/** What the files of a layer may not import, in every app and every feature. */
const layers = {
  domain: [
    forbid(
      ['node:*', 'mongodb', 'nats', '@grpc/*', 'pino', '@daycare/api/create-id'],
      'domain/ is pure.',
    ),
    forbid(
      ['**/rpc/*', '**/store/*', '**/usecases/*', '**/events/*', '**/peers/*'],
      'domain/ must not import other layers.',
    ),
    forbid(
      ['@daycare/*', '!@daycare/api', '!@daycare/async'],
      'domain/ may use only @daycare/api, and backoffMs from @daycare/async.',
    ),
    {
      group: ['@daycare/async'],
      allowImportNames: ['backoffMs'],
      message: 'domain/ is synchronous.',
    },
  ],
  usecases: [
    noMongo,
    forbid(['nats', '@grpc/*'], 'A usecase must not depend on a transport.'),
    noOuterLayer,
  ],
  store: [
    forbid(
      ['**/rpc/*', '**/usecases/*', '**/events/*', '**/peers/*'],
      'Stores may import domain types only.',
    ),
    forbid(['nats', '@grpc/*'], 'Stores talk to MongoDB only.'),
  ],
  rpc: [noMongo, noStore],
  events: [noMongo, noStore],
  edge: [noMongo],
  peers: [noMongo, noStore],
  tools: [noMongo, noStore, noTransport, noRpc, noOuterLayer],
  skills: [noMongo, noStore, noTransport, noRpc, noOuterLayer],
  prompts: [noMongo, noStore, noTransport, noRpc, noOuterLayer],
  loop: [noMongo, noTransport, noOuterLayer],
  leases: [noMongo, noTransport, noOuterLayer],
  providers: [noMongo, noStore, noTransport, noOuterLayer],
  disk: [noMongo, noStore, noTransport, noOuterLayer],
  sandbox: [noMongo, noStore, noTransport, noOuterLayer],
};

/** Which features of agent-runtime a feature may use, always through their index.ts. */
const features = {
  agents: [],
  files: ['agents'],
  messaging: ['agents'],
  models: ['agents', 'spending'],
  subusers: ['agents'],
  permissions: ['agents', 'messaging'],
  connectors: ['agents', 'permissions'],
  schedules: ['agents', 'messaging'],
  scope: ['agents', 'schedules'],
  spending: ['agents', 'messaging'],
  homes: ['files'],
  memory: ['agents', 'homes'],
  exec: ['agents', 'homes'],
  skills: ['agents', 'homes'],
  tools: [
    'agents',
    'exec',
    'files',
    'homes',
    'memory',
    'messaging',
    'models',
    'permissions',
    'schedules',
    'skills',
    'subusers',
  ],
  peers: ['agents', 'messaging', 'subusers', 'tools'],
  turns: ['agents', 'messaging', 'models', 'skills', 'spending', 'tools'],
};

const agentRuntime = resolve(import.meta.dirname, '../../apps/agent-runtime/src');
const isFeature = (folder) => existsSync(join(agentRuntime, folder, 'build.ts'));
for (const folder of readdirSync(agentRuntime))
  if (isFeature(folder) && !features[folder])
    throw new Error(`tools/lint/import-rules.mjs does not say what the feature ${folder} may use`);

const anyFeature = Object.keys(features).join('|');

/**
 * Returns the rules for what a feature may not import. Its rpc/ may import the rpc/ of features it uses, to translate their
 * messages.
 */
function featureRules(feature, layer) {
  const used = features[feature];
  const others = Object.keys(features).filter(
    (other) => other !== feature && !used.includes(other),
  );
  const inside = layer === 'rpc' ? '/(?!rpc/).' : '/.';
  return [
    forbidMatch(
      `^\\.\\./(.*/)?(${others.join('|')})(/|$)`,
      `${feature}/ may not use this feature; declare a port and let service.ts connect the two.`,
    ),
    ...(used.length > 0
      ? [
          forbidMatch(
            `^\\.\\./(.*/)?(${used.join('|')})${inside}`,
            'Use another feature through its index.ts.',
          ),
        ]
      : []),
  ];
}

const restrictImports = (files, patterns, ignores = []) => ({
  files,
  ignores: ['**/*.spec.ts', '**/test-support/**', ...ignores],
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

const layerConfigs = Object.entries(layers).map(([layer, patterns]) =>
  restrictImports([`apps/*/src/${layer}/**/*.ts`, `apps/*/src/*/${layer}/**/*.ts`], patterns),
);

const featureConfigs = Object.keys(features).flatMap((feature) => {
  const folder = `apps/agent-runtime/src/${feature}`;
  const ownLayer = layers[feature] ?? [noMongo];
  return [
    restrictImports(
      [`${folder}/**/*.ts`],
      [...ownLayer, ...featureRules(feature)],
      [`${folder}/build.ts`],
    ),
    // build.ts constructs the feature, so it alone may import the type of a database handle.
    restrictImports([`${folder}/build.ts`], featureRules(feature)),
    ...Object.entries(layers).map(([layer, patterns]) =>
      restrictImports(
        [`${folder}/${layer}/**/*.ts`],
        [...patterns, ...featureRules(feature, layer)],
      ),
    ),
  ];
});

const agentRuntimeRootConfigs = [
  restrictImports(
    ['apps/agent-runtime/src/*.ts'],
    [
      forbidMatch(
        `^\\./(${anyFeature})/(?!build$|(.*/)?[a-z]+-config$).`,
        'Build a feature through its build.ts and use it through its index.ts.',
      ),
    ],
  ),
  restrictImports(
    ['apps/agent-runtime/src/rpc/**/*.ts'],
    [
      ...layers.rpc,
      forbidMatch(`^\\.\\./(${anyFeature})/(?!rpc/).`, 'Use a feature through its index.ts.'),
    ],
  ),
  restrictImports(
    ['apps/agent-runtime/src/shared/**/*.ts'],
    [forbidMatch(`/(${anyFeature})(/|$)`, 'shared/ must not import features.')],
  ),
];

/** Layers inside apps and features inside agent-runtime; later entries replace earlier ones for a file. */
export const importRules = [...layerConfigs, ...featureConfigs, ...agentRuntimeRootConfigs];
