import type { SessionOpener } from '../session';

/** An OpenID Connect provider with which people sign in, as the operator configured it. */
export interface OidcProvider {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client, which proves itself with PKCE only. */
  readonly clientSecret: string | undefined;
  readonly redirectUris: readonly string[];
  /**
   * Claims that a person must have, with exactly these values, in the ID token or the user info. If empty, every user
   * of the provider may sign in.
   */
  readonly requiredClaims: Readonly<Record<string, string | number | boolean>>;
}

const maxProviders = 20;

/** Parses the JSON that the operator configured; returns a description of the problem if it is invalid. */
export function parseOidcProviders(text: string): readonly OidcProvider[] | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  if (!isRecord(parsed)) return 'must be a JSON object that maps names to providers';
  const entries = Object.entries(parsed);
  if (entries.length > maxProviders) return `must have at most ${maxProviders} providers`;
  const providers = entries.map(([name, value]) => parseProvider(name, value));
  const problem = providers.find((parsedProvider) => typeof parsedProvider === 'string');
  if (problem !== undefined) return problem;
  return providers.filter((parsedProvider) => typeof parsedProvider !== 'string');
}

function parseProvider(name: string, value: unknown): OidcProvider | string {
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(name))
    return `names a provider "${name}"; use up to 32 lower-case letters, digits or "-", starting with a letter`;
  if (!isRecord(value)) return `needs an object for "${name}"`;
  const { issuer, clientId, clientSecret, redirectUris, requiredClaims = {}, ...unknown } = value;
  const [unknownField] = Object.keys(unknown);
  if (unknownField !== undefined) return `has an unknown field "${unknownField}" in "${name}"`;
  if (!isSecureUrl(issuer)) return `needs "issuer" in "${name}" to be an https URL`;
  if (typeof clientId !== 'string' || clientId === '') return `needs "clientId" in "${name}"`;
  if (clientSecret !== undefined && (typeof clientSecret !== 'string' || clientSecret === ''))
    return `needs "clientSecret" in "${name}" to be a non-empty string`;
  const uris: unknown[] = Array.isArray(redirectUris) ? redirectUris : [];
  if (uris.length === 0 || !uris.every(isSecureUrl))
    return `needs "redirectUris" in "${name}" to be a list of https URLs`;
  if (!isRecord(requiredClaims) || !Object.values(requiredClaims).every(isPlain))
    return `needs "requiredClaims" in "${name}" to map claims to strings, numbers or booleans`;
  const claims = requiredClaims as OidcProvider['requiredClaims'];
  return { name, issuer, clientId, clientSecret, redirectUris: uris, requiredClaims: claims };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Only this machine may be reached without TLS. */
function isSecureUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'https:' || isLoopback(value);
}

/** Reports whether a URL uses plain HTTP on this machine, where there are no certificates. */
export function isLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/**
 * Reports whether the provider may redirect browsers to this address. The port of an address on this machine does not
 * matter, as programs often choose one at startup.
 */
export function mayRedirectTo({ redirectUris }: OidcProvider, uri: string): boolean {
  if (redirectUris.includes(uri)) return true;
  if (!URL.canParse(uri) || !isLoopback(uri)) return false;
  return redirectUris.some(
    (allowed) => isLoopback(allowed) && withoutPort(allowed) === withoutPort(uri),
  );
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}

/** What a provider says about a person. */
export interface OidcIdentity {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Reports whether this person has the claims that the operator requires. */
export function isAdmitted({ requiredClaims }: OidcProvider, { claims }: OidcIdentity): boolean {
  return Object.entries(requiredClaims).every(([name, value]) => claims[name] === value);
}

/**
 * Returns a person's connector key. The issuer is encoded, so that no key can be mistaken for one from another
 * provider whose issuer begins with the same text.
 */
export function oidcConnectorKey({ issuer }: OidcProvider, subject: string): string {
  return `oidc:${encodeURIComponent(issuer)}:${subject}`;
}

const maxNameLength = 100;

/** Returns the display name for a new user. */
export function displayNameOf({ claims }: OidcIdentity): string {
  const texts = ['name', 'preferred_username', 'nickname', 'email']
    .map((name) => claims[name])
    .filter((claim) => typeof claim === 'string');
  const line = (texts.find((text) => text.trim() !== '') ?? '')
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim();
  return Array.from(line).slice(0, maxNameLength).join('').trim() || 'New user';
}

/**
 * Returns the opener of sessions that begin at a provider. They end when the provider is no longer configured with the
 * same issuer and client id.
 */
export function oidcOpener(
  { name, issuer, clientId }: OidcProvider,
  hashOf: (text: string) => string,
): SessionOpener {
  return { name: `oidc:${name}`, credentialId: hashOf(`oidc ${issuer} ${clientId}`) };
}
