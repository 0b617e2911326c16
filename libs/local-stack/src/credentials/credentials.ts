import { randomBytes } from 'node:crypto';
import { serviceNames, type ServiceName } from '../services/service-catalog';

/** A service that proves itself to identity; identity itself has to prove itself to nobody. */
export type CredentialedService = Exclude<ServiceName, 'identity'>;

/** The secrets of one stack, in the form that identity reads. */
export interface Credentials {
  readonly admin: string;
  readonly services: Readonly<Record<CredentialedService, string>>;
  /** Of programs that get tokens for users, by name. */
  readonly clients?: Readonly<Record<string, string>>;
}

const credentialedServices = serviceNames.filter(
  (name): name is CredentialedService => name !== 'identity',
);

/** Draws a secret for the admin and one for each service; there are no clients. */
export function createCredentials(): Credentials {
  const services = credentialedServices.map((name) => [name, drawSecret()] as const);
  return {
    admin: drawSecret(),
    services: Object.fromEntries(services) as Record<CredentialedService, string>,
  };
}

/**
 * Reads the JSON text; undefined when a secret that the launcher has to hand out is not in it.
 * Everything else in it is for identity to check.
 */
export function parseCredentials(text: string): Credentials | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<Credentials> | null;
    const needed = [parsed?.admin, ...credentialedServices.map((name) => parsed?.services?.[name])];
    return needed.every(isSecret) ? (parsed as Credentials) : undefined;
  } catch {
    return undefined;
  }
}

/** The value of `authorization` by which an operator is known to identity. */
export function adminAuthorization({ admin }: Pick<Credentials, 'admin'>): string {
  return `Basic ${Buffer.from(`admin:${admin}`).toString('base64')}`;
}

function drawSecret(): string {
  return randomBytes(32).toString('base64url');
}

function isSecret(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
