import { signal } from '@preact/signals';
import { isDaycareError } from '@daycare/client/browser';
import { AgentStrategy, type HistoryRecord } from '@daycare/contracts/agent-runtime';
import { daycare } from '../../../data/client';
import { runLive } from '../../../data/live';
import type { LiveContext } from '../../../data/windows/live-context';
import { takeTurns } from '../../../data/windows/take-turns';
import { announce } from '../../../data/notices';
import type { ReceivedMessage } from './sent-message';

const maxRecordsReadBack = 1_000;
const maxReceived = 200;

/**
 * The messages that I received from one origin, such as `friend:otter7`. They go to all of my conversations, so reading
 * the newest records of the most recent conversation, and then following it, is enough.
 */
export class ReceivedStore {
  readonly messages = signal<readonly ReceivedMessage[]>([]);
  /** False if I have no conversation that could receive messages. */
  readonly hasAgent = signal(true);
  #agentId = '';
  #after = 0;

  constructor(private readonly origin: string) {}

  open(): () => void {
    return runLive(`from ${this.origin}`, (live) => this.#follow(live));
  }

  async #follow(live: LiveContext): Promise<void> {
    if (this.#agentId === '' && !(await this.#findConversation(live))) return;
    await takeTurns(live.signal, (turn) => this.#watch({ ...live, signal: turn }));
  }

  async #watch(live: LiveContext): Promise<void> {
    const options = { ...live, after: this.#after };
    for await (const event of daycare.watch.agent(this.#agentId, options)) {
      live.onReceived();
      if (event.$case === 'record') this.#receive(event.value);
    }
  }

  async #findConversation({ signal: end }: LiveContext): Promise<boolean> {
    const selector = { $case: 'strategy', value: AgentStrategy.MOST_RECENT_FOREGROUND } as const;
    try {
      const { agent } = await daycare.rpc.agentRuntime.getAgent({ selector }, { signal: end });
      this.#agentId = agent?.id ?? '';
      this.#after = Math.max(0, (agent?.lastSequence ?? 0) - maxRecordsReadBack);
      this.hasAgent.value = this.#agentId !== '';
    } catch (error) {
      if (!isDaycareError(error, 'NOT_FOUND')) throw error;
      this.hasAgent.value = false;
    }
    return this.hasAgent.peek();
  }

  #receive({ sequence, recordedAt, record }: HistoryRecord): void {
    this.#after = sequence;
    if (record?.$case !== 'userMessage' || record.value.origin !== this.origin) return;
    const { text } = record.value;
    const message = { key: `r${sequence}`, text, atMs: recordedAt?.getTime() ?? 0 };
    this.messages.value = [...this.messages.peek(), message].slice(-maxReceived);
    if (message.atMs > Date.now() - 10_000) announce(`Answer: ${text.slice(0, 300)}`);
  }
}
