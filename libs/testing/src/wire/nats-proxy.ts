import { natsProtocol } from './nats-protocol';
import { startWireProxy, type WireProxy } from './wire-proxy';

/**
 * Starts a proxy in front of a nats-server. The steps of a sender of system messages are `publish`, which gets a
 * response once the message is stored, and `receipt`, which the sender receives. The steps of a recipient are
 * `delivery`, `send receipt` and `acknowledge`, which get no response.
 */
export async function startNatsProxy({ target }: { readonly target: string }): Promise<WireProxy> {
  const { hostname, port } = new URL(target);
  return startWireProxy({
    target: { host: hostname, port: Number(port || 4222) },
    protocol: natsProtocol,
    urlOf: (proxyPort) => proxyUrl(target, proxyPort),
  });
}

function proxyUrl(target: string, port: number): string {
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  return url.href;
}
