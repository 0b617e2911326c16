import { Trust } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import {
  SignalState,
  type Signal as SignalMessage,
  type SignalSubscription,
} from '@daycare/contracts/topology';
import { readWord } from '@daycare/rpc';
import type { Signal, Subscription } from '../domain/signals/signal';

export function toSignal({ userId: _, state, trust, ...signal }: Signal): SignalMessage {
  const wireState = state === 'replaced' ? SignalState.UNSPECIFIED : enumOf(SignalState, state);
  return { ...signal, state: wireState, trust: enumOf(Trust, trust) };
}

export function toSubscription(subscription: Subscription): SignalSubscription {
  const { agentId, pattern, silent, createdAt } = subscription;
  return { agentId, pattern, silent, createdAt };
}

/** Returns the requested state; undefined if both waiting and emitted signals are requested. */
export function readState(state: SignalState): 'waiting' | 'emitted' | undefined {
  return readWord(SignalState, state, 'state');
}
