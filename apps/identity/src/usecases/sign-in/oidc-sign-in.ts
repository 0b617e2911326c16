import { randomBytes } from 'node:crypto';
import { AppError, FieldChecks } from '@daycare/api';
import {
  displayNameOf,
  isAdmitted,
  mayRedirectTo,
  oidcConnectorKey,
  oidcOpener,
  type OidcIdentity,
  type OidcProvider,
} from '../../domain/sign-in/oidc-provider';
import {
  maxPendingPerAddress,
  maxPendingSignIns,
  signInLifetimeMs,
  type PendingSignIn,
} from '../../domain/sign-in/pending-sign-in';
import type { PendingSignInStore } from '../../store/sign-in/pending-sign-in-store';
import type { makeResolveUser } from '../resolve-connector-key';
import { holderOf, openUserSession, type OpenSessionDeps } from '../tokens/open-user-session';
import { hashOf } from '../tokens/refresh-secret';
import type { IssuedTokens } from '../tokens/token-mint';

/** How identity calls a provider. Throws UNAVAILABLE when the provider cannot be reached or does not work. */
export interface OidcProtocol {
  /** Returns the URL that the browser opens next. */
  authorizationUrl(provider: OidcProvider, request: AuthorizationRequest): Promise<string>;
  /** Throws UNAUTHENTICATED unless the provider confirms, to this client and for this request, who the person is. */
  identify(
    provider: OidcProvider,
    query: URLSearchParams,
    request: AuthorizationRequest,
  ): Promise<OidcIdentity>;
}

export interface AuthorizationRequest extends Pick<
  PendingSignIn,
  'redirectUri' | 'nonce' | 'codeVerifier'
> {
  readonly state: string;
}

export interface OidcSignInDeps extends OpenSessionDeps {
  readonly providers: readonly OidcProvider[];
  readonly pending: PendingSignInStore;
  readonly protocol: OidcProtocol;
  readonly resolveUser: ReturnType<typeof makeResolveUser>;
}

const newSecret = (): string => randomBytes(32).toString('base64url');

/** Signs people in with OpenID Connect. */
export function makeOidcSignIn(deps: OidcSignInDeps) {
  const { providers, pending, protocol, now } = deps;
  const providerOf = (name: string) => providers.find((provider) => provider.name === name);
  return {
    listSignInProviders: (): readonly string[] => providers.map(({ name }) => name),
    async beginSignIn(name: string, redirectUri: string, address: string) {
      const provider = requireProvider(providerOf(name), redirectUri);
      const addressHash = hashOf(address);
      await assertMayBegin(deps, addressHash);
      const [state, browserSecret] = [newSecret(), newSecret()];
      const request = { state, redirectUri, nonce: newSecret(), codeVerifier: newSecret() };
      const authorizationUrl = await protocol.authorizationUrl(provider, request);
      const expiresAt = new Date(now().getTime() + signInLifetimeMs);
      const { nonce, codeVerifier } = request;
      const secrets = { stateHash: hashOf(state), browserHash: hashOf(browserSecret) };
      const hashes = { ...secrets, addressHash };
      const checks = { provider: name, redirectUri, nonce, codeVerifier };
      await pending.insert({ ...hashes, ...checks, expiresAt });
      return { authorizationUrl, browserSecret, expiresAt };
    },
    async completeSignIn(query: string, browserSecret: string): Promise<IssuedTokens> {
      const parameters = new URLSearchParams(query);
      const state = parameters.get('state') ?? '';
      new FieldChecks()
        .require(state !== '', 'query', 'must contain a state')
        .require(browserSecret !== '', 'browser_secret', 'is required')
        .done();
      const hashes = { stateHash: hashOf(state), browserHash: hashOf(browserSecret) };
      const begun = await pending.take(hashes, now());
      const provider = begun && providerOf(begun.provider);
      if (!provider) throw unknownSignIn();
      const person = await protocol.identify(provider, parameters, { ...begun, state });
      return open(deps, provider, person);
    },
  };
}

/**
 * Limits the sign-ins in progress in total, and per address, so that one address alone cannot keep everyone from
 * signing in.
 */
async function assertMayBegin(
  { pending, now }: Pick<OidcSignInDeps, 'pending' | 'now'>,
  addressHash: string,
): Promise<void> {
  const [fromAddress, all] = await Promise.all([
    pending.countByAddress(addressHash, now(), maxPendingPerAddress),
    pending.count(),
  ]);
  if (fromAddress >= maxPendingPerAddress) throw tooManyFromAddress();
  if (all >= maxPendingSignIns) throw tooMany();
}

async function open(
  deps: OidcSignInDeps,
  provider: OidcProvider,
  person: OidcIdentity,
): Promise<IssuedTokens> {
  if (!isAdmitted(provider, person))
    throw new AppError('PERMISSION_DENIED', 'Your account is not allowed to sign in here');
  const { user } = await deps.resolveUser({
    connectorKey: oidcConnectorKey(provider, person.subject),
    name: displayNameOf(person),
    createdBy: `oidc:${provider.name}`,
  });
  return openUserSession(deps, holderOf(user), oidcOpener(provider, hashOf));
}

function requireProvider(provider: OidcProvider | undefined, redirectUri: string): OidcProvider {
  const isAllowed = !provider || mayRedirectTo(provider, redirectUri);
  new FieldChecks()
    .require(
      provider !== undefined,
      'provider',
      'is unknown; ListSignInProviders lists the valid ones',
    )
    .require(isAllowed, 'redirect_uri', 'is not one that the operator allows')
    .done();
  if (!provider) throw unknownSignIn();
  return provider;
}

function unknownSignIn(): AppError {
  return new AppError(
    'UNAUTHENTICATED',
    'This sign-in was started in another browser, has expired, or is already complete; start again',
  );
}

function tooManyFromAddress(): AppError {
  const description = `${maxPendingPerAddress} sign-ins in progress per address`;
  const message = 'Too many sign-ins from your address are in progress; try again in a few minutes';
  return new AppError('QUOTA_EXCEEDED', message, { quota: { subject: 'caller', description } });
}

function tooMany(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'Too many sign-ins are in progress; try again in a few minutes',
  );
}
