import { randomBytes } from 'node:crypto';
import { serviceNames, type ServiceName } from '../services/service-catalog';

/** A service that authenticates to identity; identity itself needs no secret. */
export type CredentialedService = Exclude<ServiceName, 'identity'>;

/** The secrets of one stack, in the form that identity reads. */
export interface Credentials {
  readonly admin: string;
  readonly services: Readonly<Record<CredentialedService, string>>;
  /** The secrets of programs that obtain tokens for users, by name. */
  readonly clients?: Readonly<Record<string, string>>;
}

const credentialedServices = serviceNames.filter(
  (name): name is CredentialedService => name !== 'identity',
);

/** Generates a secret for the admin and one for each service except identity; there are no clients yet. */
export function createCredentials(): Credentials {
  const services = credentialedServices.map((name) => [name, generateSecret()] as const);
  return {
    admin: generateSecret(),
    services: Object.fromEntries(services) as Record<CredentialedService, string>,
  };
}

/**
 * Parses the JSON text; undefined if it is not JSON or lacks a secret that `createCredentials` generates. identity
 * checks everything else in it.
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

/** Returns the value of `authorization` with which an operator calls identity. */
export function adminAuthorization({ admin }: Pick<Credentials, 'admin'>): string {
  return `Basic ${Buffer.from(`admin:${admin}`).toString('base64')}`;
}

/** Generates 256 random bits, as text. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

function isSecret(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
