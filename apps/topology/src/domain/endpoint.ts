import { AppError, type FieldChecks } from '@daycare/errors';
import { checkTarget, type EndpointTarget, type TargetRules } from './endpoint-target';

export type EndpointMode = 'public' | 'local_network';
export type EndpointAuth = 'none' | 'password';

/** Something of a user's that the HTTP edge makes reachable. */
export interface Endpoint {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly target: EndpointTarget;
  readonly mode: EndpointMode;
  readonly auth: EndpointAuth;
  /** One higher with every change; connections of an earlier one end. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An endpoint as a caller wants it. */
export type EndpointWish = Pick<Endpoint, 'name' | 'target' | 'mode' | 'auth'>;

/** The same in the caller's words; without protection unless it says otherwise. */
export interface AskedEndpoint {
  readonly name: string;
  readonly target: EndpointTarget | undefined;
  readonly mode: EndpointMode | undefined;
  readonly auth: EndpointAuth | undefined;
}

/** What a caller wants changed; undefined stays as it is. */
export interface EndpointChange {
  readonly name: string | undefined;
  readonly target: EndpointTarget | undefined;
  readonly mode: EndpointMode | undefined;
  readonly auth: EndpointAuth | undefined;
  readonly rotatePassword: boolean;
}

export interface PlannedChange {
  readonly wish: EndpointWish;
  readonly drawsPassword: boolean;
}

const nameLimits = { min: 1, max: 100 };

/** As many as a user may have. */
export const mostEndpoints = 100;

const webhookNeedsPassword = 'must be a password for a webhook: anybody could talk to the agent';

/** Reads a wish; what is wrong with it is recorded, and undefined is one that lacks something. */
export function readWish(
  { name, target, mode, auth = 'none' }: AskedEndpoint,
  rules: TargetRules,
  checks: FieldChecks,
): EndpointWish | undefined {
  checks.line(name, 'name', nameLimits);
  checks.require(target !== undefined, 'target', 'is required');
  checks.require(mode !== undefined, 'mode', 'is required');
  if (!target || !mode) return undefined;
  checkTarget(target, rules, checks);
  checks.require(!isOpenWebhook({ target, auth }), 'auth', webhookNeedsPassword);
  return { name: name.trim(), target, mode, auth };
}

/** Records what is wrong with a change, whatever it is made to. */
export function checkChange(change: EndpointChange, rules: TargetRules, checks: FieldChecks): void {
  if (change.name !== undefined) checks.line(change.name, 'name', nameLimits);
  if (change.target) checkTarget(change.target, rules, checks);
}

/** What an endpoint becomes; throws when the change does not fit how it is. */
export function planChange(endpoint: Endpoint, change: EndpointChange): PlannedChange {
  const wish = {
    name: change.name?.trim() ?? endpoint.name,
    target: change.target ?? endpoint.target,
    mode: change.mode ?? endpoint.mode,
    auth: change.auth ?? endpoint.auth,
  };
  if (isOpenWebhook(wish)) throw refuse('auth', webhookNeedsPassword);
  if (change.rotatePassword && wish.auth === 'none')
    throw refuse('rotate_password', 'cannot be: the endpoint has no password protection');
  const isTurnedOn = endpoint.auth === 'none' && wish.auth === 'password';
  return { wish, drawsPassword: isTurnedOn || change.rotatePassword };
}

function isOpenWebhook({ target, auth }: Pick<EndpointWish, 'target' | 'auth'>): boolean {
  return target.kind === 'agent' && auth === 'none';
}

function refuse(field: string, description: string): AppError {
  const fields = [{ field, description }];
  return new AppError('INVALID_ARGUMENT', `${field} ${description}`, { fields });
}
