/**
 * The secrets with which operators, services and clients authenticate: one for the operators and one for each service
 * and client, or two while a secret is being replaced.
 */
export interface Credentials {
  readonly admin: Secrets;
  readonly services: Readonly<Record<string, Secrets>>;
  readonly clients: Readonly<Record<string, Secrets>>;
}

type Secrets = readonly string[];

const minSecretLength = 16;
const secretForm = `a secret of at least ${minSecretLength} characters, or a list of two different ones`;
const maxSecrets = 2;
const nameForm = 'up to 32 characters of a-z, 0-9 and -, starting with a letter; not admin';

/** Parses the JSON that the operator configured; returns a description of the problem if it is invalid. */
export function parseCredentials(text: string): Credentials | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  if (!isRecord(parsed)) return 'must be a JSON object';
  const { admin, services = {}, clients = {}, ...unknown } = parsed;
  const [unknownField] = Object.keys(unknown);
  if (unknownField !== undefined) return `has an unknown field "${unknownField}"`;
  if (!isSecrets(admin)) {
    return `must set "admin" to ${secretForm}`;
  }
  if (!isSecretMap(services))
    return `must map each name in "services" (${nameForm}) to ${secretForm}`;
  if (!isSecretMap(clients))
    return `must map each name in "clients" (${nameForm}) to ${secretForm}`;
  const shared = Object.keys(services).find((name) => name in clients);
  if (shared !== undefined) return `names "${shared}" both as a service and as a client`;
  // The connector keys of people who sign in at a provider begin with "oidc".
  if ('oidc' in clients) return 'names a client "oidc", which is reserved';
  return { admin: listOf(admin), services: listsOf(services), clients: listsOf(clients) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Configured = string | readonly string[];

function listOf(configured: Configured): Secrets {
  return typeof configured === 'string' ? [configured] : configured;
}

function listsOf(configured: Readonly<Record<string, Configured>>): Record<string, Secrets> {
  const entries = Object.entries(configured);
  return Object.fromEntries(entries.map(([name, secrets]) => [name, listOf(secrets)]));
}

function isSecrets(value: unknown): value is Configured {
  if (!Array.isArray(value)) return isSecret(value);
  const isDistinct = new Set(value).size === value.length;
  return value.length > 0 && value.length <= maxSecrets && isDistinct && value.every(isSecret);
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length >= minSecretLength;
}

function isSecretMap(value: unknown): value is Record<string, Configured> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([name, secrets]) =>
      /^[a-z][a-z0-9-]{0,31}$/.test(name) && name !== 'admin' && isSecrets(secrets),
  );
}
