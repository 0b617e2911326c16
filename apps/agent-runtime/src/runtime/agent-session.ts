import type { Agent } from '../domain/agent';
import {
  firstEntry,
  nextEntry,
  type AgentState,
  type HistoryHead,
  type Step,
} from '../domain/agent-state';
import { appendToContext, buildContext } from '../domain/build-context';
import type { ContextMessage } from '../domain/context-message';
import type { HistoryRecord } from '../domain/history-record';
import { takeCharge } from '../domain/turn-steps';
import type { HistoryStore } from '../store/history-store';
import type { Lease } from './lease';

export interface SessionParts {
  readonly history: HistoryStore;
  /** The name of this replica. */
  readonly holder: string;
  readonly now: () => Date;
}

/** Somebody else may write for this agent now: whatever was under way here is void. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * An agent in the hands of the replica that holds its shard: where it stands and what it has in mind.
 * It stays true because nobody else can write as long as the lease lasts.
 */
export class AgentSession {
  #head: HistoryHead;
  #context: readonly ContextMessage[];

  private constructor(
    private readonly parts: SessionParts,
    /** As it was last read. */
    public agent: Agent,
    readonly lease: Lease,
    head: HistoryHead,
    context: readonly ContextMessage[],
  ) {
    this.#head = head;
    this.#context = context;
  }

  /** Reads where the agent stands, and of its history only what its context is made of. */
  static async open(parts: SessionParts, agent: Agent, lease: Lease): Promise<AgentSession> {
    const found = (await parts.history.findHead(agent.id)) ?? (await startHistory(parts, agent));
    const head = await takeOverWork(parts, found, lease);
    const records: HistoryRecord[] = [];
    for await (const record of parts.history.readFrom(agent, head.state.contextFrom))
      records.push(record);
    // Work that was interrupted is gone on with, so its calls still wait for their results.
    const context = head.state.current ? appendToContext([], records) : buildContext(records);
    return new AgentSession(parts, agent, lease, head, context);
  }

  get state(): AgentState {
    return this.#head.state;
  }

  get context(): readonly ContextMessage[] {
    return this.#context;
  }

  /**
   * Takes a step: one document, stored as a whole or not at all. Throws LeaseLostError when another
   * replica may have taken over; the session is of no more use then.
   */
  async commit(step: Step): Promise<void> {
    const { holder, history, now } = this.parts;
    const entry = nextEntry(this.#head, step, { holder, fence: this.lease.fence }, now());
    if (!this.lease.isValid()) throw new LeaseLostError('the lease has run out');
    if (!(await history.append(entry))) throw new LeaseLostError('another replica has written');
    this.#head = entry;
    this.#context = appendToContext(this.#context, step.events);
  }
}

/**
 * Nobody goes on with another's work without an entry that says so: then the other cannot either, even
 * if the clocks were wrong and both believe in their leases. Work under a newer lease is left alone.
 */
async function takeOverWork(
  { history, holder, now }: SessionParts,
  head: HistoryHead,
  lease: Lease,
): Promise<HistoryHead> {
  const { fence } = lease;
  if (head.fence > fence || !lease.isValid()) throw new LeaseLostError('the lease has run out');
  if (!head.state.current || head.fence === fence) return head;
  const at = now();
  const entry = nextEntry(head, takeCharge(head.state, at), { holder, fence }, at);
  if (await history.append(entry)) return entry;
  throw new LeaseLostError('another replica has written');
}

/** The one who made the agent may have died before this. */
async function startHistory({ history, now }: SessionParts, agent: Agent): Promise<HistoryHead> {
  const first = firstEntry(agent, now());
  if (await history.append(first)) return first;
  const head = await history.findHead(agent.id);
  if (!head) throw new LeaseLostError('the history of the agent is gone');
  return head;
}
