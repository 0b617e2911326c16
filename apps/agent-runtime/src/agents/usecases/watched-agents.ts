import { groupReads } from '@daycare/mongo';
import { RarePolls } from '../../shared/concurrency/poll-gently';
import type { Agent } from '../domain/agent';
import type { HistoryRecord } from '../domain/context/history-record';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';

export interface AgentDelta {
  readonly kind: 'delta';
  readonly text: string;
  readonly attempt: number;
  /** How many characters of the attempt came before this delta. */
  readonly position: number;
  /** The newest record's sequence number; the delta is part of the record after it. */
  readonly afterSequence: number;
}

/** The beginning or end of a tool call that the newest record requests. */
export interface AgentToolProgress {
  readonly kind: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly argumentsJson: string;
  readonly state: 'started' | 'ended';
  readonly afterSequence: number;
}

/** An agent's progress; outdated once another record follows the one it refers to. */
export type AgentProgress = AgentDelta | AgentToolProgress;

/** Announces that an agent has records up to `lastSequence`; carries the new ones, or none if they are too long. */
export interface AgentAdvanced {
  readonly kind: 'advanced';
  readonly lastSequence: number;
  readonly records: readonly HistoryRecord[];
}

/** `died`: no more records follow those already stored. */
export type AgentHint = AgentAdvanced | AgentProgress | { readonly kind: 'died' };

export interface WatchedAgentsDeps {
  readonly agents: Pick<AgentStore, 'findMany'>;
  readonly history: Pick<HistoryStore, 'findHeads' | 'readPage'>;
  /** Subscribes to hints about the agent; returns a function that unsubscribes. */
  readonly listen: (
    agentId: string,
    listener: (event: AgentAdvanced | AgentProgress) => void,
  ) => () => void;
  /**
   * Calls the listener with the ids of agents that may have died; returns a function that removes the
   * listener.
   */
  readonly onInterrupt: (listener: (agentIds: readonly string[]) => void) => () => void;
  /** Reports whether hints are currently arriving. */
  readonly isConnected: () => boolean;
  /**
   * How often watchers recheck their callers' access; while no hints are arriving, also how often the database is
   * polled.
   */
  readonly pollMs: number;
}

/** While hints are arriving, only one in this many polls reads the database, in case a hint was lost. */
const pollEvery = 5;

interface Watched {
  readonly listeners: Set<(hint: AgentHint) => void>;
  readonly unsubscribe: () => void;
}

export type RecordPage = Awaited<ReturnType<HistoryStore['readPage']>>;

const pageSize = 200;
/** A page can be several megabytes. */
const maxConcurrentPages = 32;

/**
 * Shared by all watchers in this process: one subscription per agent, one poll for all agents, and one read of
 * a page for all watchers that are waiting for it.
 */
export class WatchedAgents {
  readonly #watched = new Map<string, Watched>();
  readonly #readPage: (pageKey: string) => Promise<RecordPage | undefined>;
  readonly #owners = new Map<string, Pick<Agent, 'id' | 'userId'>>();
  readonly #polls = new RarePolls(pollEvery);
  #stopPolling: (() => void) | undefined;

  constructor(private readonly deps: WatchedAgentsDeps) {
    this.#readPage = groupReads((pageKeys) => this.#readPages(pageKeys), {
      maxItems: maxConcurrentPages,
    });
  }

  /**
   * Passes every hint about the agent to the listener, plus one at each poll and whenever the agent may have died;
   * returns a function that removes the listener.
   */
  join(agent: Agent, listener: (hint: AgentHint) => void): () => void {
    const watched = this.#watched.get(agent.id) ?? this.#open(agent);
    watched.listeners.add(listener);
    this.#stopPolling ??= this.#startPolling();
    return () => {
      if (!watched.listeners.delete(listener) || watched.listeners.size > 0) return;
      this.#watched.delete(agent.id);
      this.#owners.delete(agent.id);
      watched.unsubscribe();
      if (this.#watched.size > 0) return;
      this.#stopPolling?.();
      this.#stopPolling = undefined;
    };
  }

  /** Reads a page of records after a sequence number; the agent must be one that is being watched. */
  async readAfter({ id }: Agent, after: number): Promise<RecordPage> {
    return (await this.#readPage(`${id} ${after}`)) ?? { records: [], isLastPage: true };
  }

  #open(agent: Agent): Watched {
    const listeners = new Set<(hint: AgentHint) => void>();
    const unsubscribe = this.deps.listen(agent.id, (hint) => {
      for (const listener of [...listeners]) listener(hint);
    });
    const watched = { listeners, unsubscribe };
    this.#watched.set(agent.id, watched);
    this.#owners.set(agent.id, agent);
    return watched;
  }

  async #readPages(pageKeys: readonly string[]): Promise<Map<string, RecordPage>> {
    const pages = pageKeys.map(async (pageKey): Promise<[string, RecordPage][]> => {
      const [agentId = '', after] = pageKey.split(' ');
      const owner = this.#owners.get(agentId);
      if (!owner) return [];
      const range = { after: Number(after), limit: pageSize };
      return [[pageKey, await this.deps.history.readPage(owner, range)]];
    });
    return new Map((await Promise.all(pages)).flat());
  }

  #startPolling(): () => void {
    const timer = setInterval(() => void this.#tick(), this.deps.pollMs);
    const stopListening = this.deps.onInterrupt((agentIds) => {
      const ids = agentIds.filter((id) => this.#watched.has(id));
      if (ids.length > 0) void this.#poll(ids);
    });
    return () => {
      clearInterval(timer);
      stopListening();
    };
  }

  async #tick(): Promise<void> {
    const ids = [...this.#watched.keys()];
    if (this.#polls.isDue(this.deps.isConnected())) await this.#poll(ids);
    else for (const id of ids) this.#notify(id, true, 0);
  }

  async #poll(ids: readonly string[]): Promise<void> {
    try {
      const [heads, found] = await Promise.all([
        this.deps.history.findHeads(ids),
        this.deps.agents.findMany(ids),
      ]);
      const last = new Map(heads.map(({ agentId, state }) => [agentId, state.lastSequence]));
      const alive = new Set(found.filter(({ diedAt }) => !diedAt).map(({ id }) => id));
      for (const id of ids) this.#notify(id, alive.has(id), last.get(id) ?? 0);
    } catch {
      // This poll failed: watchers only recheck their callers' access, and the next poll reads the database again.
      this.#polls.makeNextDue();
      for (const id of ids) this.#notify(id, true, 0);
    }
  }

  #notify(id: string, isAlive: boolean, lastSequence: number): void {
    const advanced: AgentHint = { kind: 'advanced', lastSequence, records: [] };
    for (const listener of [...(this.#watched.get(id)?.listeners ?? [])])
      listener(isAlive ? advanced : { kind: 'died' });
  }
}
