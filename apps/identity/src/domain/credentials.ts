/** Secrets that callers without a token present. */
export interface Credentials {
  readonly admin: string;
  readonly services: Readonly<Record<string, string>>;
  readonly clients: Readonly<Record<string, string>>;
}

const shortestSecret = 16;

/** Reads the JSON an operator wrote; the result is the credentials or what is wrong with the text. */
export function parseCredentials(text: string): Credentials | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  if (!isRecord(parsed)) return 'must be a JSON object';
  const { admin, services = {}, clients = {}, ...unknown } = parsed;
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) return `has an unknown field "${stray}"`;
  if (!isSecret(admin)) return `needs "admin", a secret of at least ${shortestSecret} characters`;
  if (!isSecrets(services)) return `needs "services" to map names to such secrets`;
  if (!isSecrets(clients)) return `needs "clients" to map names to such secrets`;
  const shared = Object.keys(services).find((name) => name in clients);
  if (shared !== undefined) return `names "${shared}" both as a service and as a client`;
  return { admin, services, clients };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length >= shortestSecret;
}

function isSecrets(value: unknown): value is Record<string, string> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([name, secret]) => /^[a-z][a-z0-9-]{0,31}$/.test(name) && name !== 'admin' && isSecret(secret),
  );
}
