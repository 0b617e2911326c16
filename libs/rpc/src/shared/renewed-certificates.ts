import type { experimental } from '@grpc/grpc-js';
import type { Renewals, TlsFiles, TlsMaterial } from './tls';

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/**
 * Passes certificates on to grpc-js. The provider in grpc-js watches each file separately; this one always passes on a
 * certificate together with its key, because grpc-js would refuse every connection if they did not match.
 */
export class RenewedCertificates implements experimental.CertificateProvider {
  readonly #authorities = new Set<CaListener>();
  readonly #identities = new Set<IdentityListener>();
  readonly #renewals: Renewals<TlsFiles>;
  #unsubscribe: (() => void) | undefined;

  private constructor(renewals: Renewals<TlsFiles>) {
    this.#renewals = renewals;
  }

  /** Returns undefined if these certificates are never renewed. */
  static of(tls: TlsMaterial): RenewedCertificates | undefined {
    return tls.renewals && new RenewedCertificates(tls.renewals);
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#add(this.#authorities, listener, () => this.#announceAuthority(listener));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#remove(this.#authorities, listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#add(this.#identities, listener, () => this.#announceIdentity(listener));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#remove(this.#identities, listener);
  }

  #add<Listener>(listeners: Set<Listener>, listener: Listener, announce: () => void): void {
    listeners.add(listener);
    this.#unsubscribe ??= this.#renewals.subscribe(() => this.#announce());
    // grpc-js registers its callbacks only after this method has returned.
    process.nextTick(announce);
  }

  #remove<Listener>(listeners: Set<Listener>, listener: Listener): void {
    listeners.delete(listener);
    if (this.#authorities.size + this.#identities.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #announce(): void {
    for (const listener of this.#authorities) this.#announceAuthority(listener);
    for (const listener of this.#identities) this.#announceIdentity(listener);
  }

  #announceAuthority(listener: CaListener): void {
    listener({ caCertificate: this.#renewals.current.ca });
  }

  #announceIdentity(listener: IdentityListener): void {
    const { cert, key } = this.#renewals.current;
    listener({ certificate: cert, privateKey: key });
  }
}
