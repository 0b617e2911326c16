/** `replaced` is one that a later one with the same type and repeat key took the place of. */
export type SignalState = 'waiting' | 'emitted' | 'replaced';

/** An event that agents of one user announce to each other. */
export interface Signal {
  readonly id: string;
  readonly userId: string;
  readonly type: string;
  /** A JSON value; empty when there is none. */
  readonly dataJson: string;
  /** The agent that emitted it and does not hear it; empty when a person did. */
  readonly agentId: string;
  readonly repeatKey: string;
  /** How many agents in a row have led to it. */
  readonly hops: number;
  readonly state: SignalState;
  readonly createdAt: Date;
  readonly dueAt: Date;
}

/** An agent's wish to hear signals of its user. */
export interface Subscription {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string;
  readonly pattern: string;
  readonly silent: boolean;
  readonly createdAt: Date;
}

/** Who hears a signal; silently when none of its subscriptions asks otherwise. */
export interface Hearer {
  readonly agentId: string;
  readonly silent: boolean;
}

const mostCharacters = 200;
const wildcard = '*';
// Nothing that could be taken for another separator, or that nobody sees.
const segment = /^[^:*\s\p{C}]+$/u;

export const typeRule = `must be segments joined by ":" without "*" or white space, at most ${mostCharacters} characters`;
export const patternRule = `must be segments joined by ":", each plain or "*", at most ${mostCharacters} characters`;

export function isSignalType(text: string): boolean {
  return isShort(text) && text.split(':').every((part) => segment.test(part));
}

export function isPattern(text: string): boolean {
  return isShort(text) && text.split(':').every((part) => part === wildcard || segment.test(part));
}

/** Segment by segment; `*` stands for exactly one. */
export function matchesPattern(pattern: string, type: string): boolean {
  const wanted = pattern.split(':');
  const given = type.split(':');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part === wildcard || part === given[index])
  );
}

/** What matches the same types as a pattern does. */
export function patternExpression(pattern: string): RegExp {
  const parts = pattern
    .split(':')
    .map((part) => (part === wildcard ? '[^:]+' : part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')));
  return new RegExp(`^${parts.join(':')}$`);
}

/** As its emitter was answered, whatever has become of it since. */
export function asAnswered(signal: Signal): Signal {
  return { ...signal, state: signal.dueAt > signal.createdAt ? 'waiting' : 'emitted' };
}

/** Each agent once, however many of its patterns fit; never the one that emitted the signal. */
export function hearersOf(
  { type, agentId: emitter }: Pick<Signal, 'type' | 'agentId'>,
  subscriptions: readonly Pick<Subscription, 'agentId' | 'pattern' | 'silent'>[],
): Hearer[] {
  const silentOf = new Map<string, boolean>();
  for (const { agentId, pattern, silent } of subscriptions) {
    if (agentId === emitter || !matchesPattern(pattern, type)) continue;
    silentOf.set(agentId, silent && (silentOf.get(agentId) ?? true));
  }
  return Array.from(silentOf, ([agentId, silent]) => ({ agentId, silent }));
}

/** What a hearer is told. The data is shown as JSON, never as words of its own. */
export function signalText({ type, dataJson, agentId }: Signal): string {
  const from = agentId === '' ? 'the user' : `agent ${agentId}`;
  const head = `Signal ${type} from ${from}`;
  return dataJson === '' ? head : `${head}\nData: ${dataJson}`;
}

function isShort(text: string): boolean {
  return Array.from(text).length <= mostCharacters;
}
