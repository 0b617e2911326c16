/**
 * Creates the secrets of a deployment in ./secrets. In an existing folder it adds those that are missing, as after an
 * upgrade, and leaves the others as they are.
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
const draw = () => randomBytes(32).toString('base64url');
const has = (name) => existsSync(`secrets/${name}`);
const read = (name) => readFileSync(`secrets/${name}`, 'utf8');
const readJson = (name) => (has(name) ? JSON.parse(read(name)) : {});
const drawFor = (names, present = {}) => ({
  ...present,
  ...Object.fromEntries(names.map((name) => [name, present[name] ?? draw()])),
});
const toFiles = (secrets, toFile) =>
  Object.fromEntries(Object.entries(secrets).map(([name, secret]) => toFile(name, secret)));

const present = {
  'credentials.json': readJson('credentials.json'),
  'mongo-users.json': readJson('mongo-users.json'),
  'nats-passwords': readNatsPasswords(),
};
const { admin = draw(), services: knownPeers, ...others } = present['credentials.json'];
const credentials = { admin, services: drawFor(peers, knownPeers), ...others };
const mongo = drawFor(['admin', ...services], present['mongo-users.json']);
const nats = drawFor(services, present['nats-passwords']);
/** While a secret is being replaced, it is a list of the old and the new one. */
const newest = (secret) => [secret].flat().at(-1);

/** Files with several secrets; the files that contain only one of them are derived from these. */
const tables = {
  'credentials.json': JSON.stringify(credentials),
  'mongo-users.json': JSON.stringify(mongo),
  'nats-passwords': Object.entries(nats)
    .map(([name, password]) => `${name.replace('-', '_')}_password: "${password}"\n`)
    .join(''),
};
const derived = {
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
const single = {
  'vault-key': draw(),
  'gateway-session-key': draw(),
  'grafana-password': draw(),
  'mongo-key': randomBytes(32).toString('hex'),
};

function readNatsPasswords() {
  if (!has('nats-passwords')) return {};
  const lines = read('nats-passwords').matchAll(/^(\w+)_password: "(.*)"$/gm);
  return Object.fromEntries([...lines].map(([, name, secret]) => [name.replace('_', '-'), secret]));
}

function mongoUrl(user, password) {
  const host =
    user === 'admin'
      ? '127.0.0.1:27017/?directConnection=true'
      : `${hosts['mongo-host']}:27017/?replicaSet=daycare`;
  return [`${user}-mongo-url`, `mongodb://${user}:${password}@${host}`];
}

/** Refuses to continue without a table that files were made from: newly drawn secrets would contradict those files. */
for (const [table, files] of Object.entries(derived)) {
  const made = Object.keys(files).find(has);
  if (has(table) || made === undefined) continue;
  console.error(
    `secrets/${table} is missing, but secrets/${made} was made from it: restore it, or delete both`,
  );
  process.exit(1);
}

mkdirSync('secrets', { recursive: true });
chmodSync('secrets', 0o700);
const created = [];
function write(name, text) {
  created.push(name);
  const half = `secrets/.${name}.half`;
  writeFileSync(half, text);
  // Only you can enter the folder, so all users may read the file: a container reads it as another user.
  chmodSync(half, 0o644);
  renameSync(half, `secrets/${name}`);
}
// A table gets entries for services that are new; the others keep theirs.
const isComplete = {
  'credentials.json':
    'admin' in present['credentials.json'] &&
    knownPeers &&
    peers.every((name) => name in knownPeers),
  'mongo-users.json': services.every((name) => name in present['mongo-users.json']),
  'nats-passwords': services.every((name) => name in present['nats-passwords']),
};
// Tables first: if this is interrupted, no file may have been derived from a table that was never written.
for (const [name, text] of Object.entries(tables)) if (!isComplete[name]) write(name, text);
const files = Object.assign({}, single, ...Object.values(derived));
for (const [name, text] of Object.entries(files)) if (!has(name)) write(name, text);
console.log(
  created.length > 0 ? `Created in secrets/: ${created.join(', ')}` : 'Nothing is missing.',
);
