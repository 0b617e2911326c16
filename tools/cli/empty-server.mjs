/**
 * Answers every call from the CLI immediately with an empty message, so that commands can be measured, and can be
 * run during the build to fill the CLI's code cache.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const services = ['identity', 'social-graph', 'agent-runtime', 'topology'];

/** Starts the server; `config` is a file for DAYCARE_CONFIG with which the CLI is signed in to it. */
export async function startEmptyServer() {
  const folder = mkdtempSync(join(tmpdir(), 'daycare-empty-server-'));
  const server = createServer();
  server.on('stream', (stream) => {
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    // A message without fields: uncompressed, of length 0.
    stream.end(Buffer.alloc(5));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    config: writeConfig(folder, `127.0.0.1:${server.address().port}`),
    stop() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeConfig(folder, address) {
  const claims = Buffer.from(JSON.stringify({ sub: 'abcdefghijklmnopqrstuvwx' }));
  const file = join(folder, 'config.yaml');
  const addresses = Object.fromEntries(services.map((name) => [name, address]));
  const tokens = { access: `e30.${claims.toString('base64url')}.x` };
  writeFileSync(file, JSON.stringify({ current: 'x', contexts: { x: { addresses, tokens } } }));
  return file;
}
