import { AppError, requestIdReused } from '@daycare/api';
import type { EndpointTarget, TargetRules } from '../../domain/endpoints/endpoint-target';
import type { Viewer } from '../../domain/viewer';
import type { CredentialKind } from '../../domain/endpoints/endpoint';
import type { DoneRequest, EndpointStore, StoredCredential } from '../../store/endpoint-store';
import type { CheckOwnAgent, ConfirmAlive } from '../check-own-agent';
import { generatePassword, hashPassword } from './endpoint-password';
import { generateSecret, type SecretBox } from './secret-box';

export interface EndpointCall {
  readonly caller: Viewer;
  readonly requestId: string;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** What can be exposed in this installation. */
export interface ExposureRules extends TargetRules {
  /** Whether this process can reach users' home directories. */
  readonly hasHomes: boolean;
  readonly hasEdge: boolean;
}

export interface EndpointDeps {
  readonly endpoints: EndpointStore;
  readonly checkOwnAgent: CheckOwnAgent;
  readonly confirmAlive: ConfirmAlive;
  readonly secrets: SecretBox;
  readonly rules: ExposureRules;
  /** Closes the connections of a changed or deleted endpoint, on every replica. */
  readonly closeConnections: (endpointId: string) => void;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Throws FAILED_PRECONDITION for a valid target that this installation cannot serve. */
export function refuseUnservable(
  { hasEdge, hasHomes }: ExposureRules,
  target: EndpointTarget | undefined,
): void {
  if (!hasEdge) throw notServed('HTTP_EDGE', 'Nothing can be exposed: the HTTP edge is turned off');
  if (target?.kind === 'unix' && !hasHomes)
    throw notServed(
      'USERS_DIR',
      'Sockets cannot be exposed: the edge cannot access home directories',
    );
}

/** A credential as it is stored, and as it is shown to the caller, which happens only once. */
export interface NewCredential {
  readonly stored: StoredCredential | undefined;
  readonly shown: Readonly<Record<CredentialKind, string>>;
}

/** For retries, for endpoints without a credential, and for callers who provided the secret themselves. */
export const nothingShown: NewCredential['shown'] = { password: '', secret: '' };

export function makeCredential(
  { secrets }: Pick<EndpointDeps, 'secrets'>,
  endpointId: string,
  { generatedCredential, secret: providedSecret = '' }: CredentialRequest,
): NewCredential {
  if (generatedCredential === 'password') {
    const password = generatePassword();
    const stored = { passwordHash: hashPassword(password) };
    return { stored, shown: { ...nothingShown, password } };
  }
  const secret = generatedCredential === 'secret' ? generateSecret() : providedSecret;
  if (secret === '') return { stored: undefined, shown: nothingShown };
  const stored = { sealedSecret: secrets.seal(secret, endpointId) };
  return { stored, shown: { ...nothingShown, secret: providedSecret === '' ? secret : '' } };
}

interface CredentialRequest {
  readonly generatedCredential: CredentialKind | undefined;
  readonly secret?: string | undefined;
}

/** Returns text that is equal for equal requests. It is stored, so it contains only a keyed hash of the secret. */
export function fingerprintOf(
  { secrets }: Pick<EndpointDeps, 'secrets'>,
  { secret = '', ...rest }: { readonly secret?: string | undefined },
): string {
  return JSON.stringify({
    ...rest,
    ...(secret === '' ? {} : { secret: secrets.fingerprintOf(secret) }),
  });
}

/** If the target is an agent that has ended in the meantime, removes the agent's endpoints and throws NOT_FOUND. */
export async function confirmTarget(
  { confirmAlive }: Pick<EndpointDeps, 'confirmAlive'>,
  { userId }: Viewer,
  target: EndpointTarget | undefined,
): Promise<void> {
  if (target?.kind === 'agent') await confirmAlive({ userId, agentId: target.agentId });
}

/** Throws when the request id was used before for a different request. */
export function assertSameRequest(earlier: DoneRequest, request: DoneRequest): void {
  if (earlier.fingerprint !== request.fingerprint) throw requestIdReused();
}

function notServed(type: string, description: string): AppError {
  const precondition = { type, subject: 'endpoint', description };
  return new AppError('FAILED_PRECONDITION', description, { precondition });
}
