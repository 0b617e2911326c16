import type { Workload } from '../workload';
import {
  connectAgentRuntime,
  lengthenHistory,
  makeAgent,
  newPost,
  type AgentRuntimeClient,
  type BenchAgent,
} from './agents';
import { createPeople } from './people';

const agentCount = 8;

/** Posts one message at a time to an agent and sees by WatchAgent what becomes of it. */
class Conversation {
  readonly #stop = new AbortController();
  readonly #seen = new Map<string, () => void>();
  #answered: () => void = () => undefined;

  constructor(
    private readonly runtime: AgentRuntimeClient,
    private readonly agent: BenchAgent,
    afterSequence: number,
  ) {
    void this.#watch(afterSequence).catch(() => undefined);
  }

  /** Resolves when the message is at the head of the agent's turn; `ended` when it has been answered. */
  async post(): Promise<{ readonly ended: Promise<void> }> {
    const ended = new Promise<void>((resolve) => (this.#answered = resolve));
    const { messageId } = await this.runtime.postMessage(newPost(), this.agent.person.as);
    await new Promise<void>((resolve) => {
      if (this.#seen.has(messageId)) resolve();
      else this.#seen.set(messageId, resolve);
    });
    this.#seen.delete(messageId);
    return { ended };
  }

  close(): void {
    this.#stop.abort();
  }

  async #watch(afterSequence: number): Promise<void> {
    const request = { agentId: this.agent.id, afterSequence };
    const { signal } = this.#stop;
    const events = this.runtime.watchAgent(request, { ...this.agent.person.as, signal });
    for await (const { event } of events) {
      const record = event?.$case === 'record' ? event.value.record : undefined;
      if (record?.$case === 'assistantMessage') this.#answered();
      if (record?.$case === 'userMessage') record.value.messageIds.forEach((id) => this.#note(id));
    }
  }

  #note(messageId: string): void {
    const waiting = this.#seen.get(messageId);
    if (waiting) waiting();
    else this.#seen.set(messageId, () => undefined);
  }
}

/** From PostMessage to the record of the turn that has begun, as a watching connector sees it. */
function makeWorkload(records: number, name: string): Workload {
  return {
    name: `agent-runtime enqueue to turn, ${name}`,
    baseline: ['grpc-echo', 'mongo-insert'],
    async prepare(stack) {
      const people = await createPeople(stack, agentCount);
      const runtime = connectAgentRuntime(stack);
      const agents = await Promise.all(people.map((person) => makeAgent(runtime, person)));
      for (const agent of agents) await whenIdle(runtime, agent);
      for (const agent of agents) await lengthenHistory(stack, agent, records);
      const all = agents.map((agent) => new Conversation(runtime, agent, records));
      const free = [...all];
      const waiting: ((conversation: Conversation) => void)[] = [];
      const give = (conversation: Conversation): void => {
        const next = waiting.shift();
        if (next) next(conversation);
        else free.push(conversation);
      };
      const take = async (): Promise<Conversation> =>
        free.pop() ?? new Promise<Conversation>((resolve) => waiting.push(resolve));
      return {
        async run() {
          const conversation = await take();
          const { ended } = await conversation.post();
          void ended.then(() => give(conversation));
        },
        async close() {
          for (const conversation of all) conversation.close();
          runtime.close();
        },
      };
    },
  };
}

async function whenIdle(runtime: AgentRuntimeClient, { id, person }: BenchAgent): Promise<void> {
  for (;;) {
    const selector = { $case: 'agentId', value: id } as const;
    const { agent } = await runtime.getAgent({ selector }, person.as);
    if (agent?.inboxCount === 0 && agent.lastSequence >= 3) return;
  }
}

/** The same with more and more behind the agent: its cost must not grow with it. */
export const agentTurnWorkloads: readonly Workload[] = [
  makeWorkload(10, '10 records'),
  makeWorkload(100_000, '100,000 records'),
];
