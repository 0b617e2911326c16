import { newPost, type AgentRuntimeClient, type BenchAgent } from '../shared/agents';

/** The RPCs that a conversation makes. */
export type ConversationCalls = Pick<AgentRuntimeClient, 'postMessage' | 'watchAgent'>;

export interface ConversationOptions {
  readonly afterSequence: number;
  readonly watchers: number;
  /** The text of each message; `shortText` if omitted. */
  readonly text?: string;
}

/** Posts one message at a time to an agent and follows the agent's turns through WatchAgent. */
export class Conversation {
  readonly #stop = new AbortController();
  readonly #watchers: readonly Watcher[];
  readonly #text: string | undefined;

  constructor(
    private readonly runtime: ConversationCalls,
    private readonly agent: BenchAgent,
    { afterSequence, watchers, text }: ConversationOptions,
  ) {
    this.#text = text;
    const { signal } = this.#stop;
    this.#watchers = Array.from(
      { length: watchers },
      () => new Watcher(runtime, agent, afterSequence, signal),
    );
  }

  /** Resolves once all watchers have seen the turn begin; `ended` resolves once all have seen its answer. */
  async post(): Promise<{ readonly ended: Promise<void> }> {
    const answers = this.#watchers.map((watcher) => watcher.nextAnswer());
    const { messageId } = await this.runtime.postMessage(newPost(this.#text), this.agent.person.as);
    await Promise.all(this.#watchers.map((watcher) => watcher.waitFor(messageId)));
    return { ended: Promise.all(answers).then(() => undefined) };
  }

  close(): void {
    this.#stop.abort();
  }
}

class Watcher {
  /**
   * By message id, what to call when the message is seen; if it was seen before `waitFor`, a function without effect.
   */
  readonly #onSeen = new Map<string, () => void>();
  #onAnswer: () => void = () => undefined;

  constructor(
    runtime: ConversationCalls,
    agent: BenchAgent,
    afterSequence: number,
    signal: AbortSignal,
  ) {
    void this.#watch(runtime, agent, afterSequence, signal).catch(() => undefined);
  }

  nextAnswer(): Promise<void> {
    return new Promise((resolve) => (this.#onAnswer = resolve));
  }

  async waitFor(messageId: string): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#onSeen.has(messageId)) resolve();
      else this.#onSeen.set(messageId, resolve);
    });
    this.#onSeen.delete(messageId);
  }

  async #watch(
    runtime: ConversationCalls,
    { id: agentId, person }: BenchAgent,
    afterSequence: number,
    signal: AbortSignal,
  ): Promise<void> {
    const events = runtime.watchAgent({ agentId, afterSequence }, { ...person.as, signal });
    for await (const { event } of events) {
      const record = event?.$case === 'record' ? event.value.record : undefined;
      if (record?.$case === 'assistantMessage') this.#onAnswer();
      if (record?.$case === 'userMessage')
        record.value.messageIds.forEach((id) => this.#markSeen(id));
    }
  }

  #markSeen(messageId: string): void {
    const waiting = this.#onSeen.get(messageId);
    if (waiting) waiting();
    else this.#onSeen.set(messageId, () => undefined);
  }
}
