/** The secrets of callers that have no token. */
export interface Credentials {
  readonly admin: string;
  readonly services: Readonly<Record<string, string>>;
  readonly clients: Readonly<Record<string, string>>;
}

const minSecretLength = 16;

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
  if (!isSecret(admin)) return `needs "admin", a secret of at least ${minSecretLength} characters`;
  if (!isSecretMap(services)) return `needs "services" to map names to such secrets`;
  if (!isSecretMap(clients)) return `needs "clients" to map names to such secrets`;
  const shared = Object.keys(services).find((name) => name in clients);
  if (shared !== undefined) return `names "${shared}" both as a service and as a client`;
  return { admin, services, clients };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length >= minSecretLength;
}

function isSecretMap(value: unknown): value is Record<string, string> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([name, secret]) => /^[a-z][a-z0-9-]{0,31}$/.test(name) && name !== 'admin' && isSecret(secret),
  );
}
