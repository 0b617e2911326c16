import { AppError, FieldChecks } from '@daycare/errors';
import type { Viewer } from '../domain/facts';
import { isJson } from '../domain/is-json';
import { asAnswered, hearersOf, isSignalType, typeRule, type Signal } from '../domain/signal';
import type { DraftDeliveries, SignalChanges } from '../store/signal-changes';
import type { SignalStore } from '../store/signal-store';
import { draftSignal } from './delivery-draft';
import { messageIdOf } from './message-id';

export interface EmitSignalCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly type: string;
  readonly dataJson: string;
  readonly delayMs: number;
  readonly repeatKey: string;
}

export interface EmitSignalDeps {
  readonly signals: SignalStore;
  readonly signalChanges: SignalChanges;
  readonly wake: (lanes: readonly string[]) => void;
  readonly now: () => Date;
}

const mostData = 32_768;
const mostKey = 200;
const mostDelayMs = 365 * 24 * 60 * 60 * 1000;
/** Of one user; a guard against loops, so it need not be exact to one. */
const mostWaiting = 1_000;

/** Stores a signal with what its subscribers hear, or lets it wait until it is due. */
export function makeEmitSignal(deps: EmitSignalDeps) {
  return async (call: EmitSignalCall): Promise<Signal> => {
    check(call);
    const signal = signalOf(call, deps.now());
    const known = await deps.signals.find(signal.userId, signal.id);
    if (known) return asAnswered(known);
    if (signal.state === 'waiting') await schedule(deps, signal);
    else deps.wake((await deps.signalChanges.emit(signal, deliveriesOf(signal))).lanes);
    return asAnswered((await deps.signals.find(signal.userId, signal.id)) ?? signal);
  };
}

/** One message to each subscriber that the signal fits. */
export function deliveriesOf(signal: Signal): DraftDeliveries {
  return (subscriptions) =>
    hearersOf(signal, subscriptions).map((hearer) => draftSignal(signal, hearer));
}

async function schedule({ signals, signalChanges }: EmitSignalDeps, signal: Signal): Promise<void> {
  if ((await signals.countWaiting(signal.userId, mostWaiting)) >= mostWaiting) {
    const quota = { subject: 'caller', description: 'signals that wait' };
    throw new AppError('QUOTA_EXCEEDED', 'Too many signals are waiting', { quota });
  }
  await signalChanges.schedule(signal);
}

/** The id is the same for every retry of a call, and for nothing else. */
function signalOf(call: EmitSignalCall, now: Date): Signal {
  const { requestId, type, delayMs, repeatKey } = call;
  const { userId, agentId = '', hops = 0 } = call.caller;
  const dataJson = call.dataJson.trim();
  const content = [type, dataJson, String(delayMs), repeatKey];
  return {
    id: messageIdOf('signal', userId, agentId, requestId, ...content),
    userId,
    agentId,
    type,
    dataJson,
    repeatKey,
    hops,
    state: delayMs > 0 ? 'waiting' : 'emitted',
    createdAt: now,
    dueAt: new Date(now.getTime() + delayMs),
  };
}

function check({ requestId, type, dataJson, delayMs, repeatKey }: EmitSignalCall): void {
  const isDelay = Number.isSafeInteger(delayMs) && delayMs >= 0 && delayMs <= mostDelayMs;
  new FieldChecks()
    .requestId(requestId)
    .require(isSignalType(type), 'type', typeRule)
    .text(dataJson, 'data_json', { min: 0, max: mostData })
    .require(dataJson.trim() === '' || isJson(dataJson), 'data_json', 'must be JSON')
    .require(isDelay, 'delay_ms', `must be 0 to ${mostDelayMs}, got ${delayMs}`)
    .line(repeatKey, 'repeat_key', { min: 0, max: mostKey })
    .done();
}
