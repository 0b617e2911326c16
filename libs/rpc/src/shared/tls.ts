import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';

/** The certificate of a service and the authority it trusts, all as PEM. */
export interface TlsMaterial {
  /** The service's own certificate, followed by any intermediate ones. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The only authority whose certificates are accepted from peers. */
  readonly ca: Buffer;
  /** Whether clients must present a certificate, or only the server does. */
  readonly clients: 'require' | 'any';
}

/**
 * The credentials of a server; plaintext without material. Where clients must present a certificate,
 * the handshake fails without one of this CA.
 */
export function serverCredentials(tls?: TlsMaterial): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const pair = { private_key: tls.key, cert_chain: tls.cert };
  return ServerCredentials.createSsl(tls.ca, [pair], tls.clients === 'require');
}

/**
 * The credentials of a client; plaintext without material. A server must have a certificate of the CA
 * for the name it is called by. Create them once: clients with the same object share connections.
 */
export function channelCredentials(tls?: TlsMaterial): ChannelCredentials {
  if (!tls) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(tls.ca, tls.key, tls.cert);
}
