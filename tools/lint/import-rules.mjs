/**
 * Says what files may import: by layer in services, by feature in agent-runtime, by folder in the other apps.
 * Every folder needs an entry here; a new folder without one is an error.
 */
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
/** Folders that use usecases, or that implement their ports. */
const noPortUsers = forbid(
  [
    'edge',
    'families',
    'guards',
    'interrupts',
    'leases',
    'live',
    'loop',
    'oidc',
    'peers',
    'tool-calls',
  ].map((folder) => `**/${folder}/*`),
  'Usecases and rules must not depend on what uses them or implements their ports.',
);
const noStore = forbid(['**/store/*'], 'Only usecases and build.ts use stores.');
/**
 * The modules of the contracts that usecases may import: the messages that they put into an outbox, and lists of words.
 */
const messageContracts = ['common', 'scopes', 'enum-words', 'message-routes'];
const noCalls = [
  forbidMatch(
    `^@daycare/contracts(?!/(${messageContracts.join('|')})$)`,
    'A usecase may import the contracts of system messages but not those of RPCs; rpc/ translates between them.',
  ),
  forbid(['nats', '@grpc/*', '@daycare/rpc'], 'A usecase must not depend on a transport.'),
];
/** The rules for a feature's code that is neither a usecase nor a translation, such as the turn loop. */
const engine = [noMongo, noTransport, noOuterLayer];

/** What the files of a layer may not import, in every app and every feature. */
const layers = {
  domain: [
    forbid(
      ['node:*', 'mongodb', 'nats', '@grpc/*', 'pino', '@daycare/api/create-id'],
      'domain/ is pure.',
    ),
    noOuterLayer,
    noPortUsers,
    forbid(
      ['**/store/*', '**/usecases/*', '**/disk/*', '**/providers/*', '**/sandbox/*'],
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
  usecases: [noMongo, ...noCalls, noOuterLayer, noPortUsers],
  store: [
    forbid(
      ['**/rpc/*', '**/usecases/*', '**/events/*', '**/peers/*'],
      'Stores may import domain types only.',
    ),
    forbid(['nats', '@grpc/*'], 'Stores talk to MongoDB only.'),
    noPortUsers,
  ],
  rpc: [noMongo, noStore],
  events: [noMongo, noStore],
  edge: [
    noMongo,
    noStore,
    forbid(['**/rpc/*', '**/events/*'], 'edge/ serves HTTP; rpc/ serves gRPC.'),
  ],
  guards: [noMongo, noStore, noTransport, noOuterLayer],
  oidc: [noMongo, noStore, noTransport],
  peers: [noMongo, noStore],
  families: [noMongo, noStore, noTransport, noRpc, noOuterLayer],
  ports: [noMongo, noStore, noTransport, noRpc, noOuterLayer],
  registry: [noMongo, noTransport, noRpc, noOuterLayer],
  prompts: [noMongo, noStore, noTransport, noRpc, noOuterLayer],
  catalogue: [...engine, noStore],
  context: engine,
  convert: engine,
  disk: [...engine, noStore],
  interrupts: engine,
  leases: engine,
  live: engine,
  loop: engine,
  providers: [...engine, noStore],
  sandbox: [...engine, noStore],
  sessions: engine,
  'tool-calls': engine,
};

/** What the files directly in a feature's folder may not import, where that differs from `engine`. */
const featureRoots = {
  peers: layers.peers,
  skills: [...engine, noStore, noRpc],
  tools: [...engine, noStore, noRpc],
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

/** The folders of agent-runtime that are not features. */
const otherFolders = ['programs', 'rpc', 'shared'];

/** Which other folders each folder may use, in apps without layers; `(root)` stands for the files directly in src/. */
const folderUses = {
  cli: {
    terminal: [],
    failure: [],
    output: ['terminal'],
    client: ['failure', '(root)'],
    names: ['client', 'failure', 'output', 'terminal'],
    account: ['client', 'failure', 'names', 'output'],
    chat: ['client', 'failure', 'names', 'output', 'terminal'],
    models: ['client', 'failure', 'output', '(root)'],
    demo: ['client', 'failure', 'output', '(root)'],
    doctor: ['client', 'failure', 'models', 'output', '(root)'],
    completion: ['commands', 'names'],
    reference: ['commands', 'failure'],
    commands: 'any',
  },
  console: {
    data: [],
    router: [],
    ui: ['data', 'router'],
    shell: ['data', 'router', 'ui'],
    pages: ['data', 'router', 'ui'],
    styles: [],
    testing: 'any',
  },
  gateway: {
    rpc: [],
    http: ['rpc'],
    files: ['http', 'rpc'],
    wire: ['http', 'rpc'],
    reference: ['http', 'rpc'],
    sessions: ['http', 'rpc'],
    pages: ['http', 'rpc', 'sessions'],
    console: ['http', 'pages', 'sessions'],
  },
};

const apps = resolve(import.meta.dirname, '../../apps');
const foldersOf = (path) =>
  readdirSync(join(apps, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'test-support')
    .map((entry) => entry.name);
const isSource = (file) => /\.tsx?$/.test(file) && !/\.spec\.tsx?$/.test(file);
const hasSource = (path) => readdirSync(join(apps, path), { recursive: true }).some(isSource);

function requireEntries(path, entries) {
  for (const folder of foldersOf(path))
    if (hasSource(`${path}/${folder}`) && !entries.includes(folder))
      throw new Error(`tools/lint/import-rules.mjs has no rule for apps/${path}/${folder}`);
}

for (const app of foldersOf('.').filter((name) => existsSync(join(apps, name, 'src'))))
  if (folderUses[app]) requireEntries(`${app}/src`, Object.keys(folderUses[app]));
  else if (app === 'agent-runtime')
    requireEntries(`${app}/src`, [...Object.keys(features), ...otherFolders]);
  else requireEntries(`${app}/src`, Object.keys(layers));
for (const feature of Object.keys(features))
  requireEntries(`agent-runtime/src/${feature}`, Object.keys(layers));

const anyFeature = Object.keys(features).join('|');

/**
 * Returns the rules for what a feature may not import. The rpc/ of a feature may import the rpc/ of the features that
 * it uses, to translate their messages.
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
      `${feature}/ may not use this feature; declare a port, and connect the two where the features are built.`,
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
  const ownLayer = featureRoots[feature] ?? engine;
  return [
    restrictImports(
      [`${folder}/**/*.ts`],
      [...ownLayer, ...featureRules(feature)],
      [`${folder}/build.ts`],
    ),
    // build.ts constructs the feature's stores, so it may import the type of a database handle.
    restrictImports([`${folder}/build.ts`], featureRules(feature)),
    restrictImports([`${folder}/index.ts`], [noMongo, ...featureRules(feature)]),
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
    [
      noMongo,
      noTransport,
      forbidMatch(`/(${anyFeature})(/|$)`, 'shared/ must not import features.'),
    ],
  ),
  restrictImports(
    ['apps/agent-runtime/src/programs/**/*.ts'],
    [
      noMongo,
      noTransport,
      forbidMatch(
        `^\\.\\./(.*/)?(${anyFeature})/(?!domain/conversion$)`,
        'Code in programs/ runs in a separate process; from a feature it may import only domain/conversion.',
      ),
    ],
  ),
];

const folderConfigs = Object.entries(folderUses).flatMap(([app, folders]) =>
  Object.entries(folders).map(([folder, used]) => {
    const others = Object.keys(folders).filter(
      (other) => other !== folder && !used.includes(other),
    );
    const patterns = used === 'any' ? [] : others.map((other) => folderRule(folder, other));
    const isRootAllowed = used === 'any' || used.includes('(root)');
    const rootRule = isRootAllowed ? [] : [rootFilesRule(app, folder)];
    return restrictImports(
      [`apps/${app}/src/${folder}/**/*.{ts,tsx}`],
      [noMongo, ...rootRule, ...patterns],
    );
  }),
);

function rootFilesRule(app, folder) {
  const files = readdirSync(join(apps, app, 'src')).filter(isSource);
  const names = files.map((file) => file.replace(/\.tsx?$/, ''));
  return forbidMatch(
    `^(\\.\\./)+(${names.join('|')})$`,
    `${folder}/ must not import the files directly in src/.`,
  );
}

function folderRule(folder, other) {
  return forbidMatch(`^(\\.\\./)+${other}(/|$)`, `${folder}/ must not import from ${other}/.`);
}

/** The rules for all apps. If several entries match a file, the last one applies. */
export const importRules = [
  ...layerConfigs,
  ...featureConfigs,
  ...agentRuntimeRootConfigs,
  ...folderConfigs,
];
