import type { Authored } from '../viewer';
import { AppError, invalidField, type FieldChecks } from '@daycare/api';
import { isSecret, isSignatureStyle, secretRule, type SignatureStyle } from './signature';
import { checkTarget, type EndpointTarget, type TargetRules } from './endpoint-target';

export type EndpointMode = 'public' | 'local_network';
export type EndpointAuth = 'none' | 'password' | SignatureStyle;

/** One of a user's ports, sockets or agents, which the HTTP edge makes reachable. */
export interface Endpoint extends Authored {
  readonly id: string;
  readonly userId: string;
  /** The user whose limits the endpoint counts towards. */
  readonly ownerUserId: string;
  readonly name: string;
  readonly target: EndpointTarget;
  readonly mode: EndpointMode;
  readonly auth: EndpointAuth;
  /** Incremented by every change; connections opened under an earlier version are closed. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An endpoint as the edge needs it. */
export interface ServedEndpoint extends Endpoint {
  readonly passwordHash: string | undefined;
  /** The encrypted secret for signatures. */
  readonly sealedSecret: string | undefined;
}

/** The settings that a caller chooses. */
export type EndpointSpec = Pick<Endpoint, 'name' | 'target' | 'mode' | 'auth'>;

/** A request for a new endpoint, not yet checked; an undefined `auth` means none. */
export interface EndpointRequest {
  readonly name: string;
  readonly target: EndpointTarget | undefined;
  readonly mode: EndpointMode | undefined;
  readonly auth: EndpointAuth | undefined;
  /** The secret that posts are signed with; if empty or unset, one is generated for an `auth` that needs it. */
  readonly secret?: string;
}

/** The settings to change; those that are undefined stay as they are. */
export interface EndpointChange {
  readonly name: string | undefined;
  readonly target: EndpointTarget | undefined;
  readonly mode: EndpointMode | undefined;
  readonly auth: EndpointAuth | undefined;
  /** Generates a new password or secret. */
  readonly rotatePassword: boolean;
  /** A new secret that the caller chooses; empty or unset if it chooses none. */
  readonly secret?: string;
}

/** What visitors have to know: a password, or the secret that signs posts to a webhook. */
export type CredentialKind = 'password' | 'secret';

export interface PlannedChange {
  readonly spec: EndpointSpec;
  /** The kind of credential that has to be generated, if any. */
  readonly generatedCredential: CredentialKind | undefined;
}

const nameLimits = { min: 1, max: 100 };

/** How many endpoints an owner and its subusers may have together. */
export const maxEndpoints = 100;

const webhookNeedsProof =
  'must be password, github, stripe or slack for a webhook; otherwise anyone could message the agent';
const signatureNeedsWebhook = 'can be github, stripe or slack only for a webhook';
const secretNeedsSignature = 'can only be given when auth is github, stripe or slack';

/**
 * Returns the requested settings and records violations in `checks`; undefined if the target or the mode is missing.
 */
export function readSpec(
  { name, target, mode, auth = 'none', secret = '' }: EndpointRequest,
  rules: TargetRules,
  checks: FieldChecks,
): EndpointSpec | undefined {
  checks.line(name, 'name', nameLimits);
  checks.require(target !== undefined, 'target', 'is required');
  checks.require(mode !== undefined, 'mode', 'is required');
  if (!target || !mode) return undefined;
  checkTarget(target, rules, checks);
  const problem = authProblem({ target, auth });
  checks.require(problem === undefined, 'auth', problem ?? '');
  checks.require(secret === '' || isSecret(secret), 'secret', secretRule);
  checks.require(secret === '' || isSignatureStyle(auth), 'secret', secretNeedsSignature);
  return { name: name.trim(), target, mode, auth };
}

/** Records the violations that do not depend on the endpoint to be changed. */
export function checkChange(change: EndpointChange, rules: TargetRules, checks: FieldChecks): void {
  if (change.name !== undefined) checks.line(change.name, 'name', nameLimits);
  if (change.target) checkTarget(change.target, rules, checks);
  const { secret = '', rotatePassword } = change;
  checks.require(secret === '' || isSecret(secret), 'secret', secretRule);
  checks.require(
    secret === '' || !rotatePassword,
    'secret',
    'cannot be combined with rotate_password, which generates a secret',
  );
}

/** Returns the new settings and what to generate; throws when the change contradicts the current settings. */
export function planChange(endpoint: Endpoint, change: EndpointChange): PlannedChange {
  const spec = {
    name: change.name?.trim() ?? endpoint.name,
    target: change.target ?? endpoint.target,
    mode: change.mode ?? endpoint.mode,
    auth: change.auth ?? endpoint.auth,
  };
  const problem = authProblem(spec);
  if (problem !== undefined) throw invalidField('auth', problem);
  if (change.rotatePassword && spec.auth === 'none') throw noPassword();
  const { secret = '' } = change;
  if (secret !== '' && !isSignatureStyle(spec.auth))
    throw invalidField('secret', secretNeedsSignature);
  // A credential for one kind of authentication must not be reused for another.
  const needsCredential = endpoint.auth !== spec.auth || change.rotatePassword;
  return {
    spec,
    generatedCredential: needsCredential && secret === '' ? credentialOf(spec.auth) : undefined,
  };
}

/** Returns the kind of credential that visitors must present; undefined when they need none. */
export function credentialOf(auth: EndpointAuth): CredentialKind | undefined {
  if (auth === 'none') return undefined;
  return auth === 'password' ? 'password' : 'secret';
}

function authProblem({ target, auth }: Pick<EndpointSpec, 'target' | 'auth'>): string | undefined {
  if (target.kind === 'agent') return auth === 'none' ? webhookNeedsProof : undefined;
  return isSignatureStyle(auth) ? signatureNeedsWebhook : undefined;
}

function noPassword(): AppError {
  const fields = [
    { field: 'rotate_password', description: 'requires password protection or a signature' },
  ];
  return new AppError('INVALID_ARGUMENT', 'The endpoint has no password to rotate', { fields });
}
