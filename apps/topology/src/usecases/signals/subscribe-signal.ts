import { AppError, FieldChecks, messageIdOf } from '@daycare/api';
import { authorOf, ownerOf, type Viewer } from '../../domain/viewer';
import { isPattern, patternRule, type Subscription } from '../../domain/signals/signal';
import type { SubscriptionStore } from '../../store/subscription-store';
import {
  resolveAgentId,
  checkAgentId,
  type CheckOwnAgent,
  type ConfirmAlive,
} from '../check-own-agent';

export interface UnsubscribeCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly pattern: string;
  /** Empty for the calling agent. */
  readonly agentId: string;
}

export interface SubscribeCall extends UnsubscribeCall {
  readonly silent: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface SubscribeDeps {
  readonly subscriptions: SubscriptionStore;
  readonly checkOwnAgent: CheckOwnAgent;
  readonly confirmAlive: ConfirmAlive;
  readonly now: () => Date;
}

/**
 * The limit for an owner and its subusers together, because every signal is matched against all of its user's
 * subscriptions. Concurrent calls may exceed it slightly.
 */
const maxPerOwner = 1_000;

/** Subscribes an agent to signals that match a pattern; silently by default. */
export function makeSubscribeSignal(deps: SubscribeDeps) {
  return async (call: SubscribeCall): Promise<Subscription> => {
    check(call);
    const { silent = true } = call;
    const subscription = { ...subscriptionOf(call, deps.now()), silent };
    await deps.checkOwnAgent(call.caller, subscription.agentId, call.signal);
    await refuseTooMany(deps, subscription);
    await deps.subscriptions.start(subscription, requestOf(call, `subscribe ${String(silent)}`));
    await deps.confirmAlive(subscription);
    const { createdAt } = (await deps.subscriptions.find(subscription)) ?? subscription;
    return { ...subscription, createdAt };
  };
}

/** Ends a subscription. Its id includes the caller's user, so no other user's subscription can be ended. */
export function makeUnsubscribeSignal({
  subscriptions,
  now,
}: Pick<SubscribeDeps, 'subscriptions' | 'now'>) {
  return async (call: UnsubscribeCall): Promise<void> => {
    check(call);
    await subscriptions.end(subscriptionOf(call, now()), requestOf(call, 'unsubscribe'), now());
  };
}

function check({ caller, requestId, pattern, agentId }: UnsubscribeCall): void {
  const checks = new FieldChecks().requestId(requestId);
  checks.require(isPattern(pattern), 'pattern', patternRule);
  checkAgentId(checks, caller, agentId, 'agent_id').done();
}

async function refuseTooMany(
  { subscriptions }: SubscribeDeps,
  subscription: Subscription,
): Promise<void> {
  if ((await subscriptions.countByOwner(subscription.ownerUserId, maxPerOwner)) < maxPerOwner)
    return;
  if ((await subscriptions.find(subscription))?.isActive) return;
  const quota = { subject: 'caller', description: 'signal subscriptions' };
  throw new AppError('QUOTA_EXCEEDED', 'You have too many signal subscriptions; remove one first', {
    quota,
  });
}

function subscriptionOf({ caller, pattern, agentId: namedId }: UnsubscribeCall, createdAt: Date) {
  const { userId } = caller;
  const agentId = resolveAgentId(caller, namedId);
  const id = messageIdOf('subscription', userId, agentId, pattern);
  const ownerUserId = ownerOf(caller);
  const content = { agentId, pattern, ...authorOf(caller) };
  return { id, userId, ownerUserId, ...content, silent: true, createdAt };
}

/** Identifies a request; a request id that is reused for something else counts as a different request. */
function requestOf(
  { caller: { agentId = '' }, requestId }: UnsubscribeCall,
  operation: string,
): string {
  return messageIdOf(operation, agentId, requestId);
}
