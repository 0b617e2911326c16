import {
  credsAuthenticator,
  nkeyAuthenticator,
  type Authenticator,
  type ConnectionOptions,
} from 'nats';

/** The contents of PEM files. */
export interface NatsTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** How to reach NATS, and with which credentials. */
export interface NatsAddress {
  /** One or more addresses, separated by commas, which may contain a user and a password. `tls://` requires TLS. */
  readonly url: string;
  /** The service's name, used in the subjects of its NATS inboxes and shown in NATS's monitoring. */
  readonly name: string;
  readonly tls?: NatsTls;
  /** The contents of a credentials file, which a NATS server in operator mode requires. */
  readonly creds?: Uint8Array;
  /** The nkey seed of a user that NATS knows by its public key. */
  readonly nkeySeed?: Uint8Array;
}

/**
 * Returns the NATS client's options. Throws errors that say what to fix in the configuration and contain no password.
 */
export function toConnectionOptions(address: NatsAddress): ConnectionOptions {
  const urls = address.url.split(',').map((url) => parseUrl(url.trim()));
  return {
    name: address.name,
    // With a separate inbox prefix for each user, a user can be permitted to receive only the responses to its own
    // requests.
    inboxPrefix: `_INBOX_${address.name}`,
    servers: urls.map(({ host }) => host),
    ...userOf(urls, address),
    ...tlsOf(urls, address.tls),
    timeout: 5_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    // Replacing a password must not end a running service.
    ignoreAuthErrorAbort: true,
    pingInterval: 10_000,
    // Otherwise every request creates an Error for its stack trace.
    noAsyncTraces: true,
  };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text.includes('://') ? text : `nats://${text}`);
  } catch {
    // The text may contain a password, so it is not repeated.
    throw new Error('it must have the form nats://host:4222');
  }
}

/** Allows only one user, because the client authenticates to all servers in the same way. */
function userOf(urls: readonly URL[], { creds, nkeySeed }: NatsAddress): ConnectionOptions {
  const urlsWithUser = urls.filter(({ username }) => username !== '');
  const users = new Set(urlsWithUser.map(({ username, password }) => `${username}:${password}`));
  if (users.size > 1) throw new Error('all its servers must have the same user and password');
  const methods = [users.size > 0, creds !== undefined, nkeySeed !== undefined];
  if (methods.filter(Boolean).length > 1)
    throw new Error('a user in the URL, a credentials file and an nkey are mutually exclusive');
  if (creds)
    return { authenticator: requireValidSeed(credsAuthenticator(creds), 'credentials file') };
  if (nkeySeed)
    return { authenticator: requireValidSeed(nkeyAuthenticator(trim(nkeySeed)), 'nkey') };
  return urlsWithUser[0] ? credentialsOf(urlsWithUser[0]) : {};
}

/** Files usually end with a newline, which is not part of the seed. */
function trim(seed: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(seed).toString('latin1').trim(), 'latin1');
}

/**
 * Signs something right away, so that an invalid seed is reported now and not when the server asks for a signature.
 */
function requireValidSeed(authenticator: Authenticator, what: string): Authenticator {
  try {
    authenticator('nonce');
  } catch {
    // The cause may contain the seed, so it is not repeated.
    throw new Error(`the ${what} contains no valid seed`);
  }
  return authenticator;
}

/** The client does not read credentials from the URL itself. */
function credentialsOf({ username, password }: URL): ConnectionOptions {
  const user = decodeURIComponent(username);
  return password ? { user, pass: decodeURIComponent(password) } : { token: user };
}

/** With the `tls` option, the client sends nothing to a server without TLS and refuses it. */
function tlsOf(urls: readonly URL[], files: NatsTls | undefined): ConnectionOptions {
  const tlsUrls = urls.filter(({ protocol }) => protocol === 'tls:');
  if (tlsUrls.length > 0 && tlsUrls.length < urls.length)
    throw new Error('either all or none of its URLs must start with tls://');
  if (tlsUrls.length === 0 && files)
    throw new Error('it must start with tls:// when a CA or a certificate is configured');
  if (tlsUrls.length === 0) return {};
  const pems = Object.entries(files ?? {}).map(([name, pem]) => [name, String(pem)]);
  return { tls: Object.fromEntries(pems) as Record<string, string> };
}
