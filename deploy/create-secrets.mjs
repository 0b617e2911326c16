/**
 * Creates the secrets of a deployment in ./secrets. If the folder exists, e.g. before an upgrade, only adds the secrets
 * that are missing, and leaves the others unchanged.
 * Usage: node deploy/create-secrets.mjs [--mongo-host mongo] [--nats-host nats]
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values: hosts } = parseArgs({
  options: {
    'mongo-host': { type: 'string', default: 'mongo' },
    'nats-host': { type: 'string', default: 'nats' },
  },
});
const peers = ['social-graph', 'agent-runtime', 'topology'];
const services = ['identity', ...peers];
const randomSecret = () => randomBytes(32).toString('base64url');
const has = (name) => existsSync(`secrets/${name}`);
const read = (name) => readFileSync(`secrets/${name}`, 'utf8');
const readJson = (name) => (has(name) ? JSON.parse(read(name)) : {});
const withMissing = (names, existing = {}) => ({
  ...existing,
  ...Object.fromEntries(names.map((name) => [name, existing[name] ?? randomSecret()])),
});
const toFiles = (secrets, toFile) =>
  Object.fromEntries(Object.entries(secrets).map(([name, secret]) => toFile(name, secret)));

const existing = {
  'credentials.json': readJson('credentials.json'),
  'mongo-users.json': readJson('mongo-users.json'),
  'nats-passwords': readNatsPasswords(),
};
const { admin = randomSecret(), services: knownPeers, ...others } = existing['credentials.json'];
const credentials = { admin, services: withMissing(peers, knownPeers), ...others };
const mongo = withMissing(['admin', ...services], existing['mongo-users.json']);
const nats = withMissing(services, existing['nats-passwords']);
/** While an operator replaces a secret, its entry is a list of the old and the new secret. */
const newest = (secret) => [secret].flat().at(-1);

/** The files that contain several secrets each. The files with only one of these secrets are derived from them. */
const tables = {
  'credentials.json': JSON.stringify(credentials),
  'mongo-users.json': JSON.stringify(mongo),
  'nats-passwords': Object.entries(nats)
    .map(([name, password]) => `${name.replaceAll('-', '_')}_password: "${password}"\n`)
    .join(''),
};
const derivedFiles = {
  'credentials.json': {
    'admin.header': `authorization: Basic ${btoa(`admin:${newest(admin)}`)}\n`,
    ...toFiles(credentials.services, (name, secret) => [name, newest(secret)]),
  },
  'mongo-users.json': toFiles(mongo, mongoUrl),
  'nats-passwords': toFiles(nats, (name, password) => [
    `nats-${name}`,
    `nats://${name}:${password}@${hosts['nats-host']}:4222`,
  ]),
};
const independentFiles = {
  'vault-key': randomSecret(),
  'gateway-session-key': randomSecret(),
  'grafana-password': randomSecret(),
  'mongo-key': randomBytes(32).toString('hex'),
};

function readNatsPasswords() {
  if (!has('nats-passwords')) return {};
  const lines = read('nats-passwords').matchAll(/^(\w+)_password: "(.*)"$/gm);
  return Object.fromEntries(
    [...lines].map(([, name, secret]) => [name.replaceAll('_', '-'), secret]),
  );
}

function mongoUrl(user, password) {
  const host =
    user === 'admin'
      ? '127.0.0.1:27017/?directConnection=true'
      : `${hosts['mongo-host']}:27017/?replicaSet=daycare`;
  return [`${user}-mongo-url`, `mongodb://${user}:${password}@${host}`];
}

// If a table is missing but a file derived from it exists, exits: a new table would contain other secrets than that
// file.
for (const [table, files] of Object.entries(derivedFiles)) {
  const derived = Object.keys(files).find(has);
  if (has(table) || derived === undefined) continue;
  console.error(
    `secrets/${table} is missing, but secrets/${derived} was made from it: restore secrets/${table}, or delete every file made from it (${Object.keys(files).join(', ')})`,
  );
  process.exit(1);
}

mkdirSync('secrets', { recursive: true });
chmodSync('secrets', 0o700);
const created = [];
function write(name, text) {
  created.push(name);
  const unfinished = `secrets/.${name}.half`;
  writeFileSync(unfinished, text);
  // A container reads the file as another user, so all users may read it; but only you can enter the folder.
  chmodSync(unfinished, 0o644);
  renameSync(unfinished, `secrets/${name}`);
}
// A table that lacks entries, e.g. those of a new service, is written again with them; its other entries do not change.
const isComplete = {
  'credentials.json':
    'admin' in existing['credentials.json'] &&
    knownPeers &&
    peers.every((name) => name in knownPeers),
  'mongo-users.json': services.every((name) => name in existing['mongo-users.json']),
  'nats-passwords': services.every((name) => name in existing['nats-passwords']),
};
// Tables are written first, so that even if this script is interrupted, every derived file has its table.
for (const [name, text] of Object.entries(tables)) if (!isComplete[name]) write(name, text);
const files = Object.assign({}, independentFiles, ...Object.values(derivedFiles));
for (const [name, text] of Object.entries(files)) if (!has(name)) write(name, text);
console.log(
  created.length > 0 ? `Created in secrets/: ${created.join(', ')}` : 'Nothing is missing.',
);
