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
  /** One address or several separated by commas; they may contain a user and a password. `tls://` requires TLS. */
  readonly url: string;
  /** The name of the service, which is part of the subjects of its inboxes and shown in NATS's monitoring. */
  readonly name: string;
  readonly tls?: NatsTls;
  /** The contents of a credentials file, for accounts of an operator. */
  readonly creds?: Uint8Array;
  /** The nkey seed of a user that NATS knows by its public key. */
  readonly nkeySeed?: Uint8Array;
}

/** The options of the client. Throws an error for the person who has configured it, without any password. */
export function toConnectionOptions(address: NatsAddress): ConnectionOptions {
  const urls = address.url.split(',').map((each) => parseUrl(each.trim()));
  return {
    name: address.name,
    // With an inbox prefix of its own, a user can be permitted to receive only the answers to its own requests.
    inboxPrefix: `_INBOX_${address.name}`,
    servers: urls.map(({ host }) => host),
    ...userOf(urls, address),
    ...tlsOf(urls, address.tls),
    timeout: 5_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    // A password that is being replaced must not end a running service.
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

/** The client authenticates to all servers alike. */
function userOf(urls: readonly URL[], { creds, nkeySeed }: NatsAddress): ConnectionOptions {
  const named = urls.filter(({ username }) => username !== '');
  const users = new Set(named.map(({ username, password }) => `${username}:${password}`));
  if (users.size > 1) throw new Error('all its servers must have the same user and password');
  const ways = [users.size > 0, creds !== undefined, nkeySeed !== undefined];
  if (ways.filter(Boolean).length > 1)
    throw new Error('a user in the URL, a credentials file and an nkey are mutually exclusive');
  if (creds) return { authenticator: checked(credsAuthenticator(creds), 'credentials file') };
  if (nkeySeed) return { authenticator: checked(nkeyAuthenticator(trim(nkeySeed)), 'nkey') };
  return named[0] ? credentialsOf(named[0]) : {};
}

/** Files end with a newline. */
function trim(seed: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(seed).toString('latin1').trim(), 'latin1');
}

/** Otherwise a seed that cannot sign is found only when the server asks for a signature. */
function checked(authenticator: Authenticator, what: string): Authenticator {
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

/** With `tls` the client refuses a server that does not offer it, before it sends anything. */
function tlsOf(urls: readonly URL[], files: NatsTls | undefined): ConnectionOptions {
  const secure = urls.filter(({ protocol }) => protocol === 'tls:');
  if (secure.length > 0 && secure.length < urls.length)
    throw new Error('either all or none of its URLs must start with tls://');
  if (secure.length === 0 && files)
    throw new Error('it must start with tls:// when a CA or a certificate is configured');
  if (secure.length === 0) return {};
  const read = Object.entries(files ?? {}).map(([name, pem]) => [name, String(pem)]);
  return { tls: Object.fromEntries(read) as Record<string, string> };
}
