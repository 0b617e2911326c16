import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';

/** What a service proves itself with, and whom it believes. All of it is PEM. */
export interface TlsMaterial {
  /** The service's own certificate, with any between it and the CA. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The authority that signs the certificates of peers; no other is believed. */
  readonly ca: Buffer;
  /** Whether a client must show a certificate, or only the server does. */
  readonly clients: 'require' | 'any';
}

/**
 * How a server meets its clients; without material in the clear. Where clients are required to show
 * a certificate, one without, or with one of another CA, does not get past the handshake.
 */
export function serverCredentials(tls?: TlsMaterial): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const pair = { private_key: tls.key, cert_chain: tls.cert };
  return ServerCredentials.createSsl(tls.ca, [pair], tls.clients === 'require');
}

/**
 * How a client meets its servers; without material in the clear. A server must have a certificate of
 * the CA for the name it is called by. Make it once: clients with the same one share connections.
 */
export function channelCredentials(tls?: TlsMaterial): ChannelCredentials {
  if (!tls) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(tls.ca, tls.key, tls.cert);
}
