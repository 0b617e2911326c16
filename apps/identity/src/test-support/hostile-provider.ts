import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

/** How the provider responds when a code is exchanged. */
export interface HostileAnswer {
  /** Replaces claims of the ID token; undefined removes one. */
  readonly claims?: JWTPayload;
  /** Signs with a key that the provider has not published. */
  readonly hasForgedSignature?: boolean;
  /** Responds with this status and error instead. */
  readonly failure?: { readonly status: number; readonly error: string };
}

/** An OpenID Connect provider whose responses are set by the test. */
export class HostileProvider {
  readonly #server: Server;
  #answer: HostileAnswer = {};
  #nonce = '';

  private constructor(
    private readonly keys: { readonly own: CryptoKey; readonly foreign: CryptoKey },
    private readonly publicJwk: object,
  ) {
    this.#server = createServer((request, response) => {
      void this.#reply(request.url ?? '').then(({ status, body }) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(body)),
      );
    });
  }

  static async start(): Promise<HostileProvider> {
    const [own, foreign] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const publicJwk = { ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
    const keys = { own: own.privateKey, foreign: foreign.privateKey };
    const provider = new HostileProvider(keys, publicJwk);
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Prepares the response to the sign-in that begins with this URL. */
  prepare(authorizationUrl: string, answer: HostileAnswer): void {
    this.#nonce = new URL(authorizationUrl).searchParams.get('nonce') ?? '';
    this.#answer = answer;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #reply(path: string): Promise<{ status: number; body: object }> {
    if (path === '/jwks') return { status: 200, body: { keys: [this.publicJwk] } };
    if (path === '/token') return this.#token();
    const { issuer } = this;
    const endpoints = {
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ['ES256'],
    };
    return { status: 200, body: { issuer, ...endpoints } };
  }

  async #token(): Promise<{ status: number; body: object }> {
    const { failure, claims, hasForgedSignature = false } = this.#answer;
    if (failure) return { status: failure.status, body: { error: failure.error } };
    const nowSeconds = Math.floor(Date.now() / 1000);
    const validClaims = {
      iss: this.issuer,
      aud: 'daycare',
      sub: 'ada',
      nonce: this.#nonce,
      iat: nowSeconds,
      exp: nowSeconds + 300,
    };
    const idToken = await new SignJWT({ ...validClaims, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(hasForgedSignature ? this.keys.foreign : this.keys.own);
    return { status: 200, body: { access_token: 'a', token_type: 'bearer', id_token: idToken } };
  }
}
