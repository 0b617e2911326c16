import { createId } from '@daycare/api/create-id';
import { AgentRole } from '@daycare/contracts/agent-runtime';
import type { Person } from '../../people/people';
import type { Stack } from '../../stack/stack';
import { LongConversation, factTurn } from './long-conversation';
import { growthOf } from './memory-growth';
import type { MemoryGauge, MemoryReading } from './replica-memory';
import { WindowedServer, type ProviderStatistics } from './windowed-server';

export interface ContextsOptions {
  readonly stack: Stack;
  readonly turns: number;
  /** Whether every other message is from a friend who tries to overflow the agent's context. */
  readonly hasHostileFriend: boolean;
  readonly window: number;
  readonly bytesPerToken?: number;
  /** Measures the replica, which must have been started with the gauge's environment. */
  readonly gauge?: MemoryGauge;
  readonly signal?: AbortSignal;
  readonly report?: (line: string) => void;
}

export interface ContextsFigures extends ProviderStatistics {
  readonly turns: number;
  readonly seconds: number;
  /** The replica's memory, at regular intervals. */
  readonly memory: readonly MemoryReading[];
  readonly faults: readonly string[];
}

const readingCount = 20;

/** Talks with one agent for a long time, and checks that it answers everything and remembers the facts from early on. */
export async function runContexts(options: ContextsOptions): Promise<ContextsFigures> {
  const { stack, turns, window, bytesPerToken = 4, hasHostileFriend, signal } = options;
  const model = await WindowedServer.start({ window, bytesPerToken });
  let removeModel = async (): Promise<void> => undefined;
  try {
    const [ada, eve] = await stack.people.newFriends();
    removeModel = await useModel(stack, ada, model, window);
    const conversation = await LongConversation.begin(stack, ada, eve);
    const startedMs = performance.now();
    const memory: MemoryReading[] = [];
    let turn = 0;
    for (; turn < turns && !signal?.aborted; turn += 1) {
      const isHostile = hasHostileFriend && turn > factTurn && turn % 2 === 1;
      await conversation.turn(turn, isHostile ? 'friend' : 'person');
      if (options.gauge && turn % Math.ceil(turns / readingCount) === 0)
        memory.push(await options.gauge.read(stack.service('agent-runtime').pid));
      if (turn % 250 === 249) options.report?.(progressLine(turn + 1, startedMs, model.statistics));
    }
    const faults = [...(await conversation.finish(turn, model.statistics)), ...growthOf(memory)];
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    return { turns: turn, ...model.statistics, seconds, memory, faults };
  } finally {
    await removeModel();
    await model.close();
  }
}

/** Adds the model's provider at run time; only this person uses it. Returns a function that removes the provider. */
async function useModel(
  { runtime, people }: Stack,
  ada: Person,
  { url }: WindowedServer,
  window: number,
): Promise<() => Promise<void>> {
  const name = `soak-${createId().slice(0, 8)}`;
  const admin = await people.signIn('');
  const models = [{ id: 'windowed', contextWindow: window, maxOutputTokens: 4_000, images: true }];
  await runtime.addModelProvider({ requestId: createId(), name, url, models }, admin);
  const scope = { userId: '', agentId: '', role: AgentRole.UNSPECIFIED };
  const choice = { requestId: createId(), ...scope, models: [`${name}/windowed`] };
  await runtime.setModel(choice, ada.as);
  return async () => {
    await runtime.removeModelProvider({ requestId: createId(), name }, await people.signIn(''));
  };
}

function progressLine(turns: number, startedMs: number, statistics: ProviderStatistics): string {
  const msPerTurn = (performance.now() - startedMs) / turns;
  return `${turns} turns, ${msPerTurn.toFixed(0)} ms each; ${JSON.stringify(statistics)}`;
}
