import { ChannelCredentials, experimental, ServerCredentials } from '@grpc/grpc-js';
import { RenewedCertificates } from './renewed-certificates';

/** A certificate, its key, and the authority that its owner trusts, all as PEM. */
export interface TlsFiles {
  /** The service's own certificate, followed by any intermediate ones. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The only authority whose certificates are accepted from peers. */
  readonly ca: Buffer;
}

/** Certificates that replace others while the process is running. */
export interface Renewals<Files> {
  /** The newest files. */
  readonly current: Files;
  /** Calls the listener only with complete, matching files; returns a function that unsubscribes. */
  subscribe(listener: (renewed: Files) => void): () => void;
}

/** The TLS configuration of a service. */
export interface TlsMaterial extends TlsFiles {
  /** Whether clients must present a certificate, or only the server does. */
  readonly clients: 'require' | 'any';
  /** Undefined if the certificates never change. */
  readonly renewals?: Renewals<TlsFiles>;
}

/**
 * Returns a server's credentials, which are plaintext without `tls`. If clients must present a certificate, the
 * handshake fails without one issued by this CA. Renewed certificates apply to new connections.
 */
export function serverCredentials(tls?: TlsMaterial): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const isRequired = tls.clients === 'require';
  const provider = RenewedCertificates.of(tls);
  if (provider)
    return experimental.createCertificateProviderServerCredentials(
      provider,
      isRequired ? provider : null,
      isRequired,
    );
  return ServerCredentials.createSsl(
    tls.ca,
    [{ private_key: tls.key, cert_chain: tls.cert }],
    isRequired,
  );
}

/**
 * Returns a client's credentials, which are plaintext without `tls`. A server must have a certificate, issued by the
 * CA, for the name by which it is called. Create the credentials once, because clients with the same object share
 * connections.
 */
export function channelCredentials(tls?: TlsMaterial): ChannelCredentials {
  if (!tls) return ChannelCredentials.createInsecure();
  const provider = RenewedCertificates.of(tls);
  return provider
    ? experimental.createCertificateProviderChannelCredentials(provider, provider)
    : ChannelCredentials.createSsl(tls.ca, tls.key, tls.cert);
}
