import {
  SignalState,
  type Signal as SignalMessage,
  type SignalSubscription,
} from '@daycare/contracts/topology';
import { AppError } from '@daycare/errors';
import type { Signal, SignalState as DomainState, Subscription } from '../domain/signal';

const states: Record<DomainState, SignalState> = {
  waiting: SignalState.WAITING,
  emitted: SignalState.EMITTED,
  replaced: SignalState.UNSPECIFIED,
};

export function toSignal({ userId: _, state, ...signal }: Signal): SignalMessage {
  return { ...signal, state: states[state] };
}

export function toSubscription(subscription: Subscription): SignalSubscription {
  const { agentId, pattern, silent, createdAt } = subscription;
  return { agentId, pattern, silent, createdAt };
}

/** Undefined for both states. */
export function readState(state: SignalState): 'waiting' | 'emitted' | undefined {
  if (state === SignalState.UNSPECIFIED) return undefined;
  if (state === SignalState.WAITING) return 'waiting';
  if (state === SignalState.EMITTED) return 'emitted';
  const fields = [{ field: 'state', description: 'is not one of the states' }];
  throw new AppError('INVALID_ARGUMENT', 'state is not one of the states', { fields });
}
