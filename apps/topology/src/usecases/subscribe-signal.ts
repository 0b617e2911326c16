import { AppError, FieldChecks } from '@daycare/errors';
import type { Viewer } from '../domain/facts';
import { isPattern, patternRule, type Subscription } from '../domain/signal';
import type { SubscriptionStore } from '../store/subscription-store';
import { messageIdOf } from './message-id';
import { agentOf, checkAgentId, type CheckOwnAgent } from './own-agent';

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
  readonly now: () => Date;
}

/** So many are matched against each signal; a guard against loops, so it need not be exact to one. */
const mostOfUser = 1_000;

/** Lets an agent hear signals; silently unless asked otherwise. */
export function makeSubscribeSignal(deps: SubscribeDeps) {
  return async (call: SubscribeCall): Promise<Subscription> => {
    check(call);
    const { silent = true } = call;
    const wish = { ...subscriptionOf(call, deps.now()), silent };
    await deps.checkOwnAgent(call.caller, wish.agentId, call.signal);
    await refuseTooMany(deps, wish);
    await deps.subscriptions.start(wish, requestOf(call, `subscribe ${String(silent)}`));
    const { createdAt } = (await deps.subscriptions.find(wish)) ?? wish;
    return { ...wish, createdAt };
  };
}

/** Ends a subscription. To whom it belongs is part of its name, so nobody can end another user's. */
export function makeUnsubscribeSignal({ subscriptions, now }: SubscribeDeps) {
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

async function refuseTooMany({ subscriptions }: SubscribeDeps, wish: Subscription): Promise<void> {
  if ((await subscriptions.countOf(wish.userId, mostOfUser)) < mostOfUser) return;
  if ((await subscriptions.find(wish))?.isActive) return;
  const quota = { subject: 'caller', description: 'signal subscriptions' };
  throw new AppError('QUOTA_EXCEEDED', 'Too many signal subscriptions', { quota });
}

function subscriptionOf({ caller, pattern, agentId: named }: UnsubscribeCall, createdAt: Date) {
  const { userId } = caller;
  const agentId = agentOf(caller, named);
  const id = messageIdOf('subscription', userId, agentId, pattern);
  return { id, userId, agentId, pattern, silent: true, createdAt };
}

/** A request id that is used again for something else is another request. */
function requestOf({ caller: { agentId = '' }, requestId }: UnsubscribeCall, what: string): string {
  return messageIdOf(what, agentId, requestId);
}
