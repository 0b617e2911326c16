import { LRUCache } from 'lru-cache';
import * as openid from 'openid-client';
import { AppError, limitEntries } from '@daycare/api';
import type { Logger } from '@daycare/rpc';
import { isLoopback, type OidcIdentity, type OidcProvider } from '../domain/sign-in/oidc-provider';
import type { AuthorizationRequest, OidcProtocol } from '../usecases/sign-in/oidc-sign-in';

const timeoutSeconds = 5;
/** Providers change their keys and addresses rarely; keys are fetched again when an unknown one appears. */
const rediscoverMs = 3_600_000;

/** Speaks OpenID Connect with providers: authorization codes with PKCE, state and nonce. */
export class OpenIdProtocol implements OidcProtocol {
  readonly #discovered = new LRUCache<string, openid.Configuration>({
    ...limitEntries(100),
    ttl: rediscoverMs,
  });

  constructor(private readonly log: Pick<Logger, 'warn'>) {}

  async authorizationUrl(
    provider: OidcProvider,
    { state, nonce, redirectUri, codeVerifier }: AuthorizationRequest,
  ): Promise<string> {
    const configuration = await this.#discover(provider);
    const url = openid.buildAuthorizationUrl(configuration, {
      scope: 'openid profile email',
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  async identify(
    provider: OidcProvider,
    query: URLSearchParams,
    { state, nonce, redirectUri, codeVerifier }: AuthorizationRequest,
  ): Promise<OidcIdentity> {
    const configuration = await this.#discover(provider);
    const returned = new URL(redirectUri);
    returned.search = query.toString();
    const tokens = await openid
      .authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      .catch((error: unknown) => this.#fail(provider, error));
    const claims = tokens.claims() ?? this.#fail(provider, new Error('no ID token'));
    const profile = await readProfile(configuration, tokens.access_token, claims.sub);
    return { subject: claims.sub, claims: { ...profile, ...claims } };
  }

  async #discover(provider: OidcProvider): Promise<openid.Configuration> {
    const { name, issuer, clientId, clientSecret } = provider;
    const cached = this.#discovered.get(name);
    if (cached) return cached;
    const authentication = clientSecret === undefined ? openid.None() : undefined;
    const configuration = await openid
      .discovery(new URL(issuer), clientId, clientSecret, authentication, {
        timeout: timeoutSeconds,
        // Signatures of ID tokens are checked although they come straight from the provider.
        execute: [
          openid.enableNonRepudiationChecks,
          // oxlint-disable-next-line typescript/no-deprecated -- for a provider on this machine only
          ...(isLoopback(issuer) ? [openid.allowInsecureRequests] : []),
        ],
      })
      .catch((error: unknown) => this.#fail(provider, error));
    this.#discovered.set(name, configuration);
    return configuration;
  }

  /**
   * Throws the error for a failed call. Logs why a sign-in was refused, because the configuration may be wrong. Logs
   * nothing if the provider's redirect reported the error: then the person or the provider declined the sign-in.
   */
  #fail(provider: OidcProvider, cause: unknown): never {
    const failure = failureOf(provider, cause);
    const isDecided = cause instanceof openid.AuthorizationResponseError;
    if (failure.code === 'UNAUTHENTICATED' && !isDecided)
      this.log.warn(
        { provider: provider.name, ...loggedFields(cause) },
        "sign-in refused because of the provider's response",
      );
    throw failure;
  }
}

/** Picks what is logged of a refusal's cause: the raw response may contain tokens. */
function loggedFields(cause: unknown) {
  if (cause instanceof openid.ResponseBodyError) {
    const { status, error, error_description: description = '' } = cause;
    return { status, error: error.slice(0, 200), description: description.slice(0, 200) };
  }
  const { message, code, status } = (cause ?? {}) as Readonly<Record<string, unknown>>;
  return { error: String(message).slice(0, 200), code, status };
}

/** Reads the user info, as many providers leave the name out of ID tokens; empty when it cannot be read. */
async function readProfile(
  configuration: openid.Configuration,
  accessToken: string,
  subject: string,
): Promise<object> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return openid.fetchUserInfo(configuration, accessToken, subject).catch(() => ({}));
}

/** The error for a failed sign-in; it says what the person can do. */
function failureOf({ name }: OidcProvider, cause: unknown): AppError {
  if (cause instanceof openid.AuthorizationResponseError)
    return refusal(`"${name}" did not sign you in (${cause.error}); start again`, cause);
  if (cause instanceof openid.ResponseBodyError)
    return cause.status >= 500
      ? unreachable(name, cause)
      : refusal(`"${name}" refused the sign-in (${cause.error}); start again`, cause);
  return isUnreachable(cause)
    ? unreachable(name, cause)
    : refusal(`The response from "${name}" is not valid; start again`, cause);
}

function refusal(message: string, cause: unknown): AppError {
  return new AppError('UNAUTHENTICATED', message, {}, { cause });
}

function unreachable(name: string, cause: unknown): AppError {
  const message = `The sign-in provider "${name}" cannot be reached; try again later`;
  return new AppError('UNAVAILABLE', message, {}, { cause });
}

/**
 * `fetch` throws a TypeError when a connection fails. For timeouts and for responses that do not conform to OpenID
 * Connect, the library throws errors with codes.
 */
function isUnreachable(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return true;
  return error instanceof TypeError || cause instanceof TypeError;
}
