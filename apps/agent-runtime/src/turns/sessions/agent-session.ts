import {
  type Agent,
  type AgentState,
  firstEntry,
  type HistoryEntry,
  type HistoryHead,
  type HistoryReader,
  type HistoryWriter,
  nextEntry,
  type AgentStep,
  type ContextMessage,
} from '../../agents';
import { appendToContext, ContextBuilder } from '../domain/build-context';
import { assumeLease } from '../domain/turn-steps';
import type { Lease } from '../leases/lease';
import { EntryWriter, LeaseLostError } from './entry-writer';

export interface SessionDeps {
  readonly history: HistoryReader & HistoryWriter;
  /** The name of this replica. */
  readonly holder: string;
  /** Called with each entry of a session once it is known to be stored. */
  readonly onStored?: (entry: HistoryEntry) => void;
  readonly now: () => Date;
}

/**
 * An agent's state and context, in the memory of the replica that holds its shard. They stay current
 * because no other replica can write while the lease is valid.
 */
export class AgentSession {
  /** The newest entry, even if it is not stored yet. */
  #head: HistoryHead;
  #context: readonly ContextMessage[];
  readonly #writer: EntryWriter;
  #hasEndedWork = false;

  private constructor(
    private readonly deps: SessionDeps,
    /** The agent, as last read from the store. */
    public agent: Agent,
    readonly lease: Lease,
    head: HistoryHead,
    context: readonly ContextMessage[],
  ) {
    this.#head = head;
    this.#context = context;
    const { history, onStored = () => undefined } = deps;
    this.#writer = new EntryWriter({ history, lease, onStored });
  }

  /** Restores the state of the agent, reading only the part of its history that makes up the context. */
  static async open(deps: SessionDeps, agent: Agent, lease: Lease): Promise<AgentSession> {
    const stored = (await deps.history.findHead(agent.id)) ?? (await startHistory(deps, agent));
    const head = await takeOverWork(deps, withFeed(stored, agent), lease);
    const { contextFrom, restoreFrom = contextFrom, current } = head.state;
    const context = new ContextBuilder();
    for (const record of await deps.history.readFrom(agent, restoreFrom)) context.add(record);
    // Interrupted work is continued, so its tool calls stay open.
    return new AgentSession(
      deps,
      agent,
      lease,
      head,
      current ? context.withOpenCalls() : context.withClosedCalls(),
    );
  }

  get state(): AgentState {
    return this.#head.state;
  }

  get context(): readonly ContextMessage[] {
    return this.#context;
  }

  /** Whether a step has settled items since the session was opened. */
  get hasEndedWork(): boolean {
    return this.#hasEndedWork;
  }

  /** Aborts when a step could not be stored; the session must not be used after that. */
  get failed(): AbortSignal {
    return this.#writer.failed;
  }

  /** Whether every step is known to be stored. */
  get isStored(): boolean {
    return this.#writer.isStored;
  }

  /**
   * Takes a step and sends it with the next batch, without waiting until it is stored. Another step taken before the
   * batch is sent becomes part of the same entry, but throws if this step settles items or records a model call.
   */
  advance(step: AgentStep): void {
    const { holder, now } = this.deps;
    const entry = nextEntry(this.#head, step, { holder, fence: this.lease.fence }, now());
    const first = this.#head.state.lastSequence + 1;
    const events = step.events.map((event, index) => ({ ...event, sequence: first + index }));
    this.#head = this.#writer.add(entry);
    this.#context = appendToContext(this.#context, events);
    if (step.settled) this.#hasEndedWork = true;
  }

  /**
   * Resolves when every step is stored. Rejects if one could not be: with LeaseLostError if the lease has been lost.
   */
  stored(): Promise<void> {
    return this.#writer.stored();
  }

  /** Takes a step and waits until it is stored. */
  async commit(step: AgentStep): Promise<void> {
    this.advance(step);
    await this.stored();
  }
}

/**
 * Work that another replica started is continued only after an entry has recorded the takeover. The other replica then
 * cannot write, even if wrong clocks make both leases look valid. Throws LeaseLostError, and writes nothing, if the
 * lease is no longer valid or the history was written under a newer one.
 */
async function takeOverWork(
  { history, holder, now }: SessionDeps,
  head: HistoryHead,
  lease: Lease,
): Promise<HistoryHead> {
  const { fence } = lease;
  if (head.fence > fence || !lease.isValid()) throw new LeaseLostError('the lease has expired');
  if (!head.state.current || head.fence === fence) return head;
  const at = now();
  const entry = nextEntry(head, assumeLease(head.state, at), { holder, fence }, at);
  if (await history.append(entry)) return entry;
  throw new LeaseLostError('another replica has written to the history');
}

/** The feed is taken from the agent, because replicas of a version without feeds write entries without one. */
function withFeed(head: HistoryHead, { feed }: Agent): HistoryHead {
  return feed === undefined ? head : { ...head, feed };
}

/** The replica that created the agent may have died before it started the history. */
async function startHistory({ history, now }: SessionDeps, agent: Agent): Promise<HistoryHead> {
  const first = firstEntry(agent, now());
  if (await history.append(first)) return first;
  const head = await history.findHead(agent.id);
  if (!head) throw new LeaseLostError('the history of the agent was deleted');
  return head;
}
