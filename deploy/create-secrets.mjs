/**
 * Creates the secrets of a deployment in ./secrets, once: an existing folder is left alone, and the exit code is 1.
 * Usage: node deploy/create-secrets.mjs [--mongo-host mongo] [--nats-host nats]
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
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
const drawFor = (names) => Object.fromEntries(names.map((name) => [name, draw()]));
const toFiles = (secrets, toFile) =>
  Object.fromEntries(Object.entries(secrets).map(([name, secret]) => toFile(name, secret)));

const admin = draw();
const credentials = { admin, services: drawFor(peers) };
const mongo = drawFor(['admin', ...services]);
const nats = drawFor(services);

function mongoUrl(user, password) {
  const host =
    user === 'admin'
      ? '127.0.0.1:27017/?directConnection=true'
      : `${hosts['mongo-host']}:27017/?replicaSet=daycare`;
  return [`${user}-mongo-url`, `mongodb://${user}:${password}@${host}`];
}

const files = {
  'credentials.json': JSON.stringify(credentials),
  'admin.header': `authorization: Basic ${btoa(`admin:${admin}`)}\n`,
  ...credentials.services,
  'vault-key': draw(),
  'gateway-session-key': draw(),
  'grafana-password': draw(),
  'mongo-key': randomBytes(32).toString('hex'),
  'mongo-users.json': JSON.stringify(mongo),
  ...toFiles(mongo, mongoUrl),
  ...toFiles(nats, (name, password) => [
    `nats-${name}`,
    `nats://${name}:${password}@${hosts['nats-host']}:4222`,
  ]),
  'nats-passwords': Object.entries(nats)
    .map(([name, password]) => `${name.replace('-', '_')}_password: "${password}"\n`)
    .join(''),
};

try {
  mkdirSync('secrets', { mode: 0o700 });
} catch (error) {
  console.error(`secrets/ was not created: ${error.code}`);
  process.exit(1);
}
for (const [name, text] of Object.entries(files)) {
  writeFileSync(`secrets/${name}`, text);
  // Only you can enter the folder; a container sees the file with this mode and runs as another user.
  chmodSync(`secrets/${name}`, 0o644);
}
