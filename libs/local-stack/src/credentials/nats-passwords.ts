import { generateSecret } from './credentials';
import { serviceNames, type ServiceName } from '../services/service-catalog';

/** Each service's password for the NATS server, where its user has the same name as the service. */
export type NatsPasswords = Readonly<Record<ServiceName, string>>;

export function createNatsPasswords(): NatsPasswords {
  const entries = serviceNames.map((name) => [name, generateSecret()] as const);
  return Object.fromEntries(entries) as Record<ServiceName, string>;
}

/** Parses the JSON text; undefined when a service's password is missing. */
export function parseNatsPasswords(text: string): NatsPasswords | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<NatsPasswords> | null;
    const isComplete = serviceNames.every((name) => {
      const password: unknown = parsed?.[name];
      return typeof password === 'string' && password !== '';
    });
    return isComplete ? (parsed as NatsPasswords) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Adds an app's user and password to every server in the URL, which may be a list. Returns the URL unchanged for apps
 * without a password.
 */
export function withNatsUser(
  url: string,
  app: string,
  passwords: NatsPasswords | undefined,
): string {
  const password = passwords && app in passwords ? passwords[app as ServiceName] : undefined;
  return password === undefined ? url : withCredentials(url, app, password);
}

/** Adds this user and password to every server in the URL, which may be a list. */
export function withCredentials(url: string, user: string, password: string): string {
  return url
    .split(',')
    .map((address) => {
      const server = new URL(address.trim());
      server.username = user;
      server.password = password;
      return server.href;
    })
    .join(',');
}
