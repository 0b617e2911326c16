import { lowestTrust, type Trust } from '@daycare/api';
import type { CallUsage } from './call-usage';
import { afterEvent, contextOf, type StoredContext } from './context-state';
import { addUsage, noUsage, type HistoryEvent, type TokenUsage } from './context/history-record';
import { withScheduledTurn, waitOf, type CurrentWork, type InboxSettlement } from './current-work';

/** An agent's state after an entry in its history: everything needed to continue from there. */
export interface AgentState extends StoredContext {
  /** The newest record's sequence number; 0 before the first. */
  readonly lastSequence: number;
  /** The tokens that the agent's recorded answers have used since its creation. */
  readonly usage: TokenUsage;
  /**
   * The fallback model in use instead of the first choice, as recorded in the history; absent if none is in use. An
   * answer from any other model ends its use.
   */
  readonly fallbackModel?: string;
  /** When it last recorded anything that was not silent. */
  readonly busyAt: Date | undefined;
  /** The work in progress: started, but its items are still in the inbox. */
  readonly current: CurrentWork | undefined;
  /**
   * The items that this entry removes from the inbox. The replica that runs the agent then updates the inbox; after a
   * crash, the replica that finds the entry does so.
   */
  readonly settled: InboxSettlement | undefined;
  /** Present on an entry that ends a wait, so that the agent is no longer shown as waiting. */
  readonly endsWait?: true;
  /**
   * Present when an earlier entry abandoned work or stopped it half-way: only the first such entry is reported to the
   * agent's parent.
   */
  readonly hasFailed?: true;
}

/** A change to an agent: the events to record, and its work in progress afterwards. */
export interface AgentStep {
  readonly events: readonly HistoryEvent[];
  readonly current: CurrentWork | undefined;
  readonly settled?: InboxSettlement;
  /** A silent step does not keep the agent awake. */
  readonly silent?: boolean;
  /** The trust of the recorded events, for a step without work in progress. */
  readonly trust?: Trust;
  /** The estimated size of the context that remains, when the step shortens it. */
  readonly keptTokens?: number;
  /** The usage of the model call whose outcome the step records. */
  readonly call?: CallUsage;
}

export const initialState: AgentState = {
  lastSequence: 0,
  contextFrom: 0,
  contextTokens: 0,
  contextTrust: 'person',
  contextIsPrivate: false,
  usage: noUsage,
  busyAt: undefined,
  current: undefined,
  settled: undefined,
};

/** Returns the state after a step. */
export function advance(before: AgentState, step: AgentStep, at: Date): AgentState {
  let context = contextOf(before);
  let { lastSequence, usage, fallbackModel } = before;
  for (const event of step.events) {
    lastSequence += 1;
    context = afterEvent(context, event, lastSequence, step.keptTokens);
    if (event.kind === 'assistant_message') usage = addUsage(usage, event.usage);
    fallbackModel = fallbackAfter(event, fallbackModel);
  }
  const trust = step.trust ?? step.current?.trust ?? 'person';
  return {
    lastSequence,
    ...context,
    contextTrust: lowestTrust(context.contextTrust, trust),
    usage,
    ...(fallbackModel === undefined ? {} : { fallbackModel }),
    busyAt: step.silent ? before.busyAt : at,
    current: step.current,
    settled: step.settled && withScheduledTurn(before.current, step.settled),
    ...(waitOf(before.current) && !waitOf(step.current) ? { endsWait: true } : {}),
    ...(before.hasFailed || hasFailed(before.settled) ? { hasFailed: true } : {}),
  };
}

function hasFailed(settled: InboxSettlement | undefined): boolean {
  return (settled?.dead ?? settled?.unfinished) !== undefined;
}

/** Returns the fallback in use after an event; an answer from any other model ends its use. */
function fallbackAfter(event: HistoryEvent, before: string | undefined): string | undefined {
  if (event.kind === 'note') return event.fallbackModel ?? before;
  if (event.kind !== 'assistant_message') return before;
  return before === `${event.provider}/${event.model}` ? before : undefined;
}
