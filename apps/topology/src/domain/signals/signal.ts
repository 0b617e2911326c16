import { lowestTrust, type Trust } from '@daycare/api';
import type { Authored } from '../viewer';

/** `replaced`: a later signal with the same type and repeat key took its place before it was due. */
export type SignalState = 'waiting' | 'emitted' | 'replaced';

/** An event announced to a user's agents by the user or one of those agents. */
export interface Signal {
  readonly id: string;
  readonly userId: string;
  /** The user whose limits the signal counts towards. */
  readonly ownerUserId: string;
  readonly type: string;
  /** A JSON value; empty when there is none. */
  readonly dataJson: string;
  /** The agent that emitted the signal and does not receive it; empty when a person emitted it. */
  readonly agentId: string;
  readonly repeatKey: string;
  /** The number of agents in the chain that led to it. */
  readonly hops: number;
  /** The trust of its emitter; a delay does not change it. */
  readonly trust: Trust;
  /** Whether the turn that emitted it had read something private. */
  readonly carriesPrivate: boolean;
  readonly state: SignalState;
  readonly createdAt: Date;
  readonly dueAt: Date;
}

/** Which of its user's signals an agent receives. */
export interface Subscription extends Authored {
  readonly id: string;
  readonly userId: string;
  /** The user whose limits the subscription counts towards. */
  readonly ownerUserId: string;
  readonly agentId: string;
  readonly pattern: string;
  readonly silent: boolean;
  readonly createdAt: Date;
}

/** An agent that receives a signal; `silent` only if all of its matching subscriptions are. */
export interface SignalRecipient {
  readonly agentId: string;
  readonly silent: boolean;
}

const maxCharacters = 200;
const wildcard = '*';
// Excludes the separator, the wildcard, white space and invisible characters.
const segment = /^[^:*\s\p{C}]+$/u;

export const typeRule = `must be segments joined by ":" without "*" or white space, at most ${maxCharacters} characters`;
export const patternRule = `must be segments joined by ":", each "*" or plain text without white space, at most ${maxCharacters} characters`;

export function isSignalType(text: string): boolean {
  return isShort(text) && text.split(':').every((part) => segment.test(part));
}

export function isPattern(text: string): boolean {
  return isShort(text) && text.split(':').every((part) => part === wildcard || segment.test(part));
}

/** Compares segment by segment; `*` matches exactly one segment. */
export function matchesPattern(pattern: string, type: string): boolean {
  const patternParts = pattern.split(':');
  const typeParts = type.split(':');
  return (
    patternParts.length === typeParts.length &&
    patternParts.every((part, index) => part === wildcard || part === typeParts[index])
  );
}

/** Returns a regular expression that matches the same types as the pattern. */
export function patternExpression(pattern: string): RegExp {
  const parts = pattern
    .split(':')
    .map((part) => (part === wildcard ? '[^:]+' : part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')));
  return new RegExp(`^${parts.join(':')}$`);
}

/** Reports whether a signal may replace a waiting one. It may not if the waiting signal has more trust. */
export function mayReplace(waiting: Emission, signal: Emission): boolean {
  const trust = trustOfEmitter(waiting);
  return lowestTrust(trust, trustOfEmitter(signal)) === trust;
}

type Emission = Pick<Signal, 'agentId' | 'trust'>;

/** Agents have at most the trust `own`, regardless of who began their chain. */
function trustOfEmitter({ agentId, trust }: Emission): Trust {
  return agentId === '' ? trust : lowestTrust('own', trust);
}

/** Returns the signal in the state that its emitter's first call returned, even if it has changed since. */
export function asFirstReturned(signal: Signal): Signal {
  return { ...signal, state: signal.dueAt > signal.createdAt ? 'waiting' : 'emitted' };
}

/**
 * Returns each agent once, even if several of its patterns match, and never the agent that emitted the signal.
 */
export function signalRecipients(
  { type, agentId: emitter }: Pick<Signal, 'type' | 'agentId'>,
  subscriptions: readonly Pick<Subscription, 'agentId' | 'pattern' | 'silent'>[],
): SignalRecipient[] {
  const silentOf = new Map<string, boolean>();
  for (const { agentId, pattern, silent } of subscriptions) {
    if (agentId === emitter || !matchesPattern(pattern, type)) continue;
    silentOf.set(agentId, silent && (silentOf.get(agentId) ?? true));
  }
  return Array.from(silentOf, ([agentId, silent]) => ({ agentId, silent }));
}

/** Renders a signal for its recipients. The data stays JSON, so it cannot pass for other text. */
export function signalText({ type, dataJson, agentId }: Signal): string {
  const from = agentId === '' ? 'the user' : `agent ${agentId}`;
  const head = `Signal ${type} from ${from}`;
  return dataJson === '' ? head : `${head}\nData: ${dataJson}`;
}

function isShort(text: string): boolean {
  return Array.from(text).length <= maxCharacters;
}
