import { AppError, FieldChecks, messageIdOf } from '@daycare/api';
import { ownerOf, trustOfText, type Viewer } from '../../domain/viewer';
import { isJson } from '../../domain/is-json';
import {
  asFirstReturned,
  signalRecipients,
  isSignalType,
  typeRule,
  type Signal,
} from '../../domain/signals/signal';
import type { DraftDeliveries, SignalChanges } from '../../store/signal-changes';
import type { SignalStore } from '../../store/signal-store';
import { draftSignal } from '../delivery-draft';

export interface EmitSignalCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly type: string;
  readonly dataJson: string;
  readonly delayMs: number;
  readonly repeatKey: string;
  readonly traceparent?: string | undefined;
}

export interface EmitSignalDeps {
  readonly signals: SignalStore;
  readonly signalChanges: SignalChanges;
  readonly wake: () => void;
  readonly now: () => Date;
  /** Called after a signal that is to be emitted later has been stored. */
  readonly onScheduled: () => void;
}

const maxDataLength = 32_768;
const maxKeyLength = 200;
const maxDelayMs = 365 * 24 * 60 * 60 * 1000;
/** Per owner. Concurrent calls may exceed it slightly, because it only guards against runaway agents. */
const maxWaiting = 1_000;

/** Stores a signal together with its deliveries, or schedules it when it has a delay. */
export function makeEmitSignal(deps: EmitSignalDeps) {
  return async (call: EmitSignalCall): Promise<Signal> => {
    check(call);
    const signal = signalOf(call, deps.now());
    const existing = await deps.signals.find(signal.userId, signal.id);
    if (existing) return asFirstReturned(existing);
    if (signal.state === 'waiting') {
      await schedule(deps, signal);
      deps.onScheduled();
    } else {
      await deps.signalChanges.emit(signal, deliveriesOf(signal, call.traceparent));
      deps.wake();
    }
    return asFirstReturned((await deps.signals.find(signal.userId, signal.id)) ?? signal);
  };
}

/** Drafts one message to each agent with a matching subscription, except the emitter. */
export function deliveriesOf(signal: Signal, traceparent?: string): DraftDeliveries {
  return (subscriptions) =>
    signalRecipients(signal, subscriptions).map((recipient) => ({
      ...draftSignal(signal, recipient),
      traceparent,
    }));
}

async function schedule({ signals, signalChanges }: EmitSignalDeps, signal: Signal): Promise<void> {
  if ((await signals.countWaiting(signal.ownerUserId, maxWaiting)) >= maxWaiting) {
    const quota = { subject: 'caller', description: 'waiting signals' };
    throw new AppError(
      'QUOTA_EXCEEDED',
      'You have too many waiting signals; try again once some have been emitted',
      { quota },
    );
  }
  await signalChanges.schedule(signal);
}

/** Builds the signal that a call emits. Retries of the call produce the same id, every other call a new one. */
function signalOf(call: EmitSignalCall, now: Date): Signal {
  const { requestId, type, delayMs, repeatKey } = call;
  const { userId, agentId = '', hops = 0, carriesPrivate = false } = call.caller;
  const dataJson = call.dataJson.trim();
  const content = [type, dataJson, String(delayMs), repeatKey];
  return {
    id: messageIdOf('signal', userId, agentId, requestId, ...content),
    userId,
    ownerUserId: ownerOf(call.caller),
    agentId,
    type,
    dataJson,
    repeatKey,
    hops,
    trust: trustOfText(call.caller),
    carriesPrivate,
    state: delayMs > 0 ? 'waiting' : 'emitted',
    createdAt: now,
    dueAt: new Date(now.getTime() + delayMs),
  };
}

function check({ requestId, type, dataJson, delayMs, repeatKey }: EmitSignalCall): void {
  const isValidDelay = Number.isSafeInteger(delayMs) && delayMs >= 0 && delayMs <= maxDelayMs;
  new FieldChecks()
    .requestId(requestId)
    .require(isSignalType(type), 'type', typeRule)
    .text(dataJson, 'data_json', { min: 0, max: maxDataLength })
    .require(dataJson.trim() === '' || isJson(dataJson), 'data_json', 'must be JSON')
    .require(isValidDelay, 'delay_ms', `must be 0 to ${maxDelayMs}, got ${delayMs}`)
    .line(repeatKey, 'repeat_key', { min: 0, max: maxKeyLength })
    .done();
}
