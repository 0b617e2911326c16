import { testMongoUrl } from '../test-servers';
import { mongoProtocol } from './mongo-protocol';
import { startWireProxy, type WireProxy } from './wire-proxy';

/**
 * Starts a proxy in front of the primary of the test's MongoDB. Each command is a step, except those that the driver
 * sends on its own and those that prepare collections. A step is named after the command and its collection, such as
 * `insert outbox`, or after the command alone, such as `commitTransaction`.
 */
export async function startMongoProxy(): Promise<WireProxy> {
  const target = testMongoUrl();
  const { hostname, port } = new URL(target);
  return startWireProxy({
    target: { host: hostname, port: Number(port || 27_017) },
    protocol: mongoProtocol,
    urlOf: (proxyPort) => proxyUrl(target, proxyPort),
  });
}

/** A client that discovered the replica set would bypass the proxy. */
function proxyUrl(target: string, port: number): string {
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  url.searchParams.set('directConnection', 'true');
  return url.href;
}
